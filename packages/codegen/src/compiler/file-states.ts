import { ts } from './typescript.ts';

/** Tells of a file's state in one view of a project: equal ones mean the same in each. */
export type StateOf = (file: ts.SourceFile) => string;

/**
 * Gives states to files. A file's state is that of all files that it imports, directly or not, and of all packages: what
 * was read out of it before still holds while that is the same.
 */
export class FileStates {
  readonly #numbers = new WeakMap<ts.SourceFile, number>();
  #next = 0;

  /** @param own - the project's files; all others of the program are taken together */
  of(program: ts.Program, own: readonly ts.SourceFile[]): StateOf {
    const mine = new Set(own);
    const others = program.getSourceFiles().filter((file) => !mine.has(file));
    // What a file declares for all others reaches further than its importers.
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
  // Types that are imported where they are used can stand anywhere.
  if (/\bimport\s*\(/.test(file.text)) return [...own];
  return file.statements.flatMap((statement) => {
    const specifier =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement.moduleSpecifier : undefined;
    const declarations = (specifier && checker.getSymbolAtLocation(specifier)?.declarations) ?? [];
    return declarations.filter((node): node is ts.SourceFile => ts.isSourceFile(node) && own.has(node));
  });
}
