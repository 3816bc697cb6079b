import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { defined } from '@kubewright/apimachinery/internal';
import type { Position, Problems } from '../problem.ts';
import { FileStates, type StateOf } from './file-states.ts';
import { ts } from './typescript.ts';

/** The location of a {@link Project} and the files to read. */
export interface ProjectOptions {
  /** Folder of the project; paths in problems and files are relative to it. */
  readonly root: string;
  /** @defaultValue files in `src` that `tsconfig.json` includes, except tests */
  readonly sources?: readonly string[] | undefined;
  /** File contents that replace files on disk, by absolute path: from editors or tests. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
}

/** A snapshot of a project's sources, as the compiler sees it. */
export interface ProjectView {
  readonly checker: ts.TypeChecker;
  /** The project's own files that can contain declarations, sorted by name. */
  readonly files: readonly ts.SourceFile[];
  position(node: ts.Node): Position;
  positionAt(file: ts.SourceFile, offset: number): Position;
  /** Returns a key that changes whenever anything changes that affects the meaning of the file. */
  readonly stateOf: StateOf;
  /** True if the declaration is part of JavaScript's standard library: `Array`, `Date`. */
  isLibrary(node: ts.Node): boolean;
  /** Returns the file of a declaration, without extension, if it is in the named package; otherwise undefined. */
  fileOfPackage(node: ts.Node, name: string): string | undefined;
}

interface Kept {
  readonly stamp: string;
  readonly file: ts.SourceFile;
}

const forced: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  composite: false,
  incremental: false,
  declaration: false,
  emitDeclarationOnly: false,
};

/**
 * Reads a project's sources and caches them: later calls only read the files that changed. Views are snapshots of the files
 * at the time of the call. Not safe for concurrent use.
 */
export class Project {
  readonly #root: string;
  readonly #options: ProjectOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #states = new FileStates();
  readonly #packages = new Map<string, { readonly name: string; readonly folder: string } | undefined>();
  #program: ts.Program | undefined;
  #overlay: ReadonlyMap<string, string>;

  constructor(options: ProjectOptions) {
    this.#root = resolve(options.root);
    this.#options = options;
    this.#overlay = options.overlay ?? new Map();
  }

  /** @param overlay - replaces the previous overlay */
  view(problems: Problems, overlay?: ReadonlyMap<string, string>): ProjectView {
    if (overlay !== undefined) this.#overlay = overlay;
    const { options, names } = this.#configuration(problems);
    const host = this.#host(options);
    const program = ts.createProgram({
      rootNames: names,
      options,
      host,
      ...defined({ oldProgram: this.#program }),
    });
    this.#program = program;
    const checker = program.getTypeChecker();
    const files = program.getSourceFiles().filter((file) => this.#isOwn(file));
    for (const { file, start, messageText } of files.flatMap((each) => program.getSyntacticDiagnostics(each))) {
      const what = ts.flattenDiagnosticMessageText(messageText, ' ');
      const why = 'code after a syntax error may be misread';
      problems.add(this.#position(file, start), { code: 'KW6001', what, why, fix: 'fix the syntax error' });
    }
    return {
      checker,
      files,
      position: (node) => this.#position(node.getSourceFile(), node.getStart()),
      stateOf: this.#states.of(program, files),
      positionAt: (file, offset) => this.#position(file, offset),
      isLibrary: (node) => program.isSourceFileDefaultLibrary(node.getSourceFile()),
      fileOfPackage: (node, name) => this.#fileOfPackage(node.getSourceFile().fileName, name),
    };
  }

  #configuration(problems: Problems): { readonly options: ts.CompilerOptions; readonly names: string[] } {
    const path = join(this.#root, 'tsconfig.json');
    const host: ts.ParseConfigFileHost = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
    const parsed = existsSync(path) ? ts.getParsedCommandLineOfConfigFile(path, forced, host) : undefined;
    const defaults: ts.CompilerOptions = {
      ...forced,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    };
    // Accept imports with and without extensions, regardless of the project's settings, because nothing is emitted.
    const options = { ...(parsed?.options ?? defaults), allowImportingTsExtensions: true };
    delete options.rewriteRelativeImportExtensions;
    const at = { file: 'tsconfig.json', line: 1, column: 1 };
    for (const error of parsed?.errors ?? []) {
      if (error.code === noInputs) continue;
      const what = ts.flattenDiagnosticMessageText(error.messageText, ' ');
      problems.add(at, { code: 'KW6001', what, fix: 'fix tsconfig.json' });
    }
    const names = this.#names(parsed?.fileNames);
    if (names.length === 0) {
      problems.add(at, { code: 'KW6001', what: 'no TypeScript sources found', fix: 'add TypeScript files to src/' });
    }
    return { options, names };
  }

  #names(included: readonly string[] | undefined): string[] {
    const { sources } = this.#options;
    if (sources !== undefined) return sources.map((name) => (isAbsolute(name) ? name : join(this.#root, name)));
    const folder = join(this.#root, 'src') + sep;
    const files = included ?? ts.sys.readDirectory(this.#root, ['.ts', '.mts'], ['node_modules', 'dist']);
    const below = existsSync(folder) ? files.filter((name) => resolve(name).startsWith(folder)) : files;
    return below.filter((name) => !/\.(test|spec|test-d)\.[mc]?ts$/.test(name)).sort();
  }

  #host(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile } = host;
    host.fileExists = (name) => this.#overlay.has(name) || fileExists(name);
    host.readFile = (name) => this.#overlay.get(name) ?? readFile(name);
    host.getSourceFile = (name, languageVersion) => this.#sourceFile(name, languageVersion);
    return host;
  }

  #sourceFile(name: string, languageVersion: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
    const overlaid = platformTypes.test(name) ? '' : this.#overlay.get(name);
    const stamp = overlaid ?? stampOf(name);
    if (stamp === undefined) return undefined;
    const kept = this.#kept.get(name);
    if (kept?.stamp === stamp) return kept.file;
    const options = typeof languageVersion === 'object' ? languageVersion : { languageVersion };
    const file = ts.createSourceFile(name, overlaid ?? readFileSync(name, 'utf8'), {
      ...options,
      // Skip documentation comments: parseDocs parses the comments that matter.
      jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
    });
    this.#kept.set(name, { stamp, file });
    return file;
  }

  #isOwn(file: ts.SourceFile): boolean {
    const { fileName } = file;
    return fileName.startsWith(this.#root + sep) && !fileName.includes('/node_modules/') && !file.isDeclarationFile;
  }

  #position(file: ts.SourceFile, offset: number): Position {
    const { line, character } = file.getLineAndCharacterOfPosition(offset);
    return { file: relative(this.#root, file.fileName), line: line + 1, column: character + 1 };
  }

  #fileOfPackage(fileName: string, name: string): string | undefined {
    const found = this.#packageOf(dirname(fileName));
    if (found?.name !== name) return undefined;
    return relative(found.folder, fileName).replace(/(\.d)?\.[mc]?ts$/, '');
  }

  #packageOf(folder: string): { readonly name: string; readonly folder: string } | undefined {
    if (this.#packages.has(folder)) return this.#packages.get(folder);
    const name = packageName(join(folder, 'package.json'));
    const parent = dirname(folder);
    const found = name === undefined ? (parent === folder ? undefined : this.#packageOf(parent)) : { name, folder };
    this.#packages.set(folder, found);
    return found;
  }
}

/**
 * Declarations of browser and Node APIs, whose files are treated as empty to save time: they would be most of what the
 * compiler reads, and no kind can use them.
 */
const platformTypes = /\/typescript\/lib\/lib\.(?:dom|webworker|scripthost)[\w.]*\.d\.ts$|\/@types\/node\//;

/** TypeScript's error "No inputs were found in config file", for which we report a better message. */
const noInputs = 18003;

function stampOf(name: string): string | undefined {
  const found = statSync(name, { throwIfNoEntry: false });
  return found?.isFile() ? `${found.mtimeMs} ${found.size} ${found.ino}` : undefined;
}

/** Returns the name in a package.json; undefined if it has none, as in some subfolders of packages. */
function packageName(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const { name }: { readonly name?: unknown } = JSON.parse(readFileSync(path, 'utf8'));
  return typeof name === 'string' ? name : undefined;
}
