/** What is wrong with what was to be generated, and what to do about it. */
export interface Problem {
  /** `KW6` and three digits; `kubewright explain CODE` tells more. */
  readonly code: ProblemCode;
  /** Errors keep files from being written; warnings do not. */
  readonly severity: 'error' | 'warning';
  /** Relative to the project's root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Where in the type: `spec.users[].name`. */
  readonly path?: string;
  readonly what: string;
  readonly why?: string;
  readonly fix: string;
}

/** The codes of {@link Problem}: one for each thing that can be wrong. */
export type ProblemCode =
  | 'KW6001' // the project cannot be read
  | 'KW6002' // a value must be known at generation, and is not
  | 'KW6003' // a kind is declared without types, or with a wrong name
  | 'KW6004' // versions of one kind contradict each other
  | 'KW6101' // a number without its kind
  | 'KW6102' // a type that has no schema
  | 'KW6103' // a type that contains itself
  | 'KW6104' // a type that cannot be resolved
  | 'KW6201' // an unknown tag
  | 'KW6202' // a tag where it has no effect
  | 'KW6203' // a tag's argument cannot be read
  | 'KW6204' // a tag that is no documentation comment, or that TypeScript says itself
  | 'KW6205' // a path of `schema`, of a column or of a subresource that leads nowhere
  | 'KW6301' // the API server would refuse the schema
  | 'KW6302' // a CEL rule does not compile
  | 'KW6303' // a CRD is too large
  | 'KW6304' // a CEL rule is too costly, or all of a schema together
  | 'KW6305' // a short name that kubectl takes for another kind
  | 'KW6401' // what a program does cannot be told from its code
  | 'KW6501' // two webhooks of one name
  | 'KW6502' // versions of a kind that nothing converts
  | 'KW6701'; // a CRD in a group version that is an aggregated server's

/** A place in a source file. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What a {@link Problem} is made of besides its place. */
export type Finding = Omit<Problem, 'file' | 'line' | 'column' | 'severity'> & {
  readonly severity?: Problem['severity'];
};

/** Collects problems in the order in which they are found; the same one at the same place once. */
export class Problems {
  readonly #found = new Map<string, Problem>();

  get list(): readonly Problem[] {
    return [...this.#found.values()];
  }

  get hasErrors(): boolean {
    return this.list.some(({ severity }) => severity === 'error');
  }

  /** Takes in all that others found. */
  include(others: Problems): void {
    for (const [key, problem] of others.#found) this.#keep(key, problem);
  }

  add(at: Position, finding: Finding): void {
    const { severity = 'error', ...rest } = finding;
    const problem: Problem = { ...rest, severity, file: at.file, line: at.line, column: at.column };
    this.#keep(`${at.file}:${at.line}:${at.column} ${finding.code} ${finding.what}`, problem);
  }

  /** A type that is used twice is wrong in one place: the first path to it is as good as any. */
  #keep(key: string, problem: Problem): void {
    if (!this.#found.has(key)) this.#found.set(key, problem);
  }
}

/** Formats a problem for people: where, what, why, what to do. */
export function formatProblem(problem: Problem): string {
  const { code, severity, file, line, column, path, what, why, fix } = problem;
  const where = `${file}:${line}:${column}`;
  const head = `${where} ${severity} ${code}${path === undefined ? '' : ` ${path}`}: ${what}`;
  return [head, ...(why === undefined ? [] : [`  why: ${why}`]), `  do:  ${fix}`].join('\n');
}
