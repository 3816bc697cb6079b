export declare function checkProse(root: string): { readonly ok: boolean; readonly lines: readonly string[] };
export declare function listProse(root: string, paths: readonly string[]): readonly string[];
export declare function updateRatchet(root: string): void;
