import { ts } from './typescript.ts';

/**
 * Returns a key for the state of a file in a view of a project. If the keys of two views are equal, the file has the
 * same meaning in both.
 */
export type StateOf = (file: ts.SourceFile) => string;

/**
 * Computes the states of files. A file's state covers all packages, and all files that it imports directly or indirectly.
 * While the state is unchanged, results derived from the file stay valid.
 */
export class FileStates {
  readonly #numbers = new WeakMap<ts.SourceFile, number>();
  #next = 0;

  /** @param own - the project's files; all other files of the program share one state */
  of(program: ts.Program, own: readonly ts.SourceFile[]): StateOf {
    const mine = new Set(own);
    const others = program.getSourceFiles().filter((file) => !mine.has(file));
    // Files with global declarations affect all files, not only those that import them.
    const everywhere = own.filter((file) => reachesAll(file));
    const common = `${JSON.stringify(program.getCompilerOptions())} ${this.#stateOf([...others, ...everywhere])}`;
    const checker = program.getTypeChecker();
    const imported = new Map<ts.SourceFile, readonly ts.SourceFile[]>();
    const importsOf = (file: ts.SourceFile): readonly ts.SourceFile[] => {
      const known = imported.get(file) ?? ownImports(file, { checker, own: mine });
      imported.set(file, known);
      return known;
    };
    return (file) => {
      const reached = new Set([file]);
      for (const each of reached) for (const next of importsOf(each)) reached.add(next);
      return `${common} ${this.#stateOf([...reached])}`;
    };
  }

  #stateOf(files: readonly ts.SourceFile[]): string {
    return files
      .map((file) => this.#numberOf(file))
      .sort((a, b) => a - b)
      .join(',');
  }

  #numberOf(file: ts.SourceFile): number {
    const known = this.#numbers.get(file) ?? this.#next++;
    this.#numbers.set(file, known);
    return known;
  }
}

function reachesAll(file: ts.SourceFile): boolean {
  return !ts.isExternalModule(file) || /\bdeclare\s+(?:global|module)\b/.test(file.text);
}

function ownImports(
  file: ts.SourceFile,
  { checker, own }: { readonly checker: ts.TypeChecker; readonly own: ReadonlySet<ts.SourceFile> },
): readonly ts.SourceFile[] {
  // The file contains `import(…)`, whose target is hard to determine, so assume that it imports all files.
  if (/\bimport\s*\(/.test(file.text)) return [...own];
  return file.statements.flatMap((statement) => {
    const specifier =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement.moduleSpecifier : undefined;
    const declarations = (specifier && checker.getSymbolAtLocation(specifier)?.declarations) ?? [];
    return declarations.filter((node): node is ts.SourceFile => ts.isSourceFile(node) && own.has(node));
  });
}
