/**
 * A problem in the source code that the generator reads, and its fix.
 *
 * @example
 * ```ts
 * const isError = ({ severity }: Problem): boolean => severity === 'error';
 * const toGitHub = ({ file, line, what, fix }: Problem): string => `::error file=${file},line=${line}::${what}: ${fix}`;
 * ```
 */
export interface Problem {
  /** `KW6` and three digits; `kubewright explain CODE` shows details. */
  readonly code: ProblemCode;
  /** Errors prevent files from being written; warnings do not. */
  readonly severity: 'error' | 'warning';
  /** Path relative to the project's root. */
  readonly file: string;
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1. */
  readonly column: number;
  /** Path in the type: `spec.users[].name`. */
  readonly path?: string;
  readonly what: string;
  readonly why?: string;
  readonly fix: string;
}

/** The codes of {@link Problem}. */
export type ProblemCode =
  | 'KW6001' // the project's configuration or sources cannot be read
  | 'KW6002' // a value that is only known at run time
  | 'KW6003' // a kind without types, or with an invalid name
  | 'KW6004' // contradictory versions of a kind
  | 'KW6101' // a number without an integer or float type
  | 'KW6102' // a type that has no schema
  | 'KW6103' // a recursive type
  | 'KW6104' // a type that cannot be resolved
  | 'KW6201' // an unknown tag
  | 'KW6202' // a tag that has no effect at its place or on the type of the value
  | 'KW6203' // a tag with an invalid argument
  | 'KW6204' // a tag outside of a documentation comment, or a tag that TypeScript syntax replaces
  | 'KW6205' // a path in `schema`, in a column or in a subresource that refers to no field
  | 'KW6301' // a schema that the API server would reject
  | 'KW6302' // a CEL rule that does not compile
  | 'KW6303' // a CRD that is too large
  | 'KW6304' // a CEL rule that is too costly, or rules of a schema that are too costly in total
  | 'KW6305' // a short name that kubectl resolves to another kind
  | 'KW6401' // code that cannot be resolved without running the program
  | 'KW6501' // two webhooks with the same name
  | 'KW6502' // versions of a kind without a converter
  | 'KW6701'; // a CRD in a group version that an aggregated server serves

/** A position in a source file of the project. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A {@link Problem} without its position. */
export type Finding = Omit<Problem, 'file' | 'line' | 'column' | 'severity'> & {
  readonly severity?: Problem['severity'];
};

/** Collects problems in the order of discovery; reports the same problem at the same position only once. */
export class Problems {
  readonly #found = new Map<string, Problem>();

  get list(): readonly Problem[] {
    return [...this.#found.values()];
  }

  get hasErrors(): boolean {
    return this.list.some(({ severity }) => severity === 'error');
  }

  /** Adds all problems of another collection. */
  include(others: Problems): void {
    for (const [key, problem] of others.#found) this.#keep(key, problem);
  }

  add(at: Position, finding: Finding): void {
    const { severity = 'error', ...rest } = finding;
    const problem: Problem = { ...rest, severity, file: at.file, line: at.line, column: at.column };
    this.#keep(`${at.file}:${at.line}:${at.column} ${finding.code} ${finding.what}`, problem);
  }

  /** Keeps only the first path to a problem: a problem in a type that is used twice is reported once. */
  #keep(key: string, problem: Problem): void {
    if (!this.#found.has(key)) this.#found.set(key, problem);
  }
}

/**
 * Formats a problem as text: its location, description, reason and fix.
 *
 * @example
 * ```ts
 * const { problems } = await generate({ root: process.cwd() });
 * console.error(problems.map(formatProblem).join('\n'));
 * ```
 */
export function formatProblem(problem: Problem): string {
  const { code, severity, file, line, column, path, what, why, fix } = problem;
  const where = `${file}:${line}:${column}`;
  const head = `${where} ${severity} ${code}${path === undefined ? '' : ` ${path}`}: ${what}`;
  return [head, ...(why === undefined ? [] : [`  why: ${why}`]), `  fix: ${fix}`].join('\n');
}
