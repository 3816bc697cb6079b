/** Writes the pages into a folder; returns dead links, each as `file:line: why`. */
export function assemble(root: string, folder: string): readonly string[];
