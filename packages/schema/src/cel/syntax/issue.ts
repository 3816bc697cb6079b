import { CelCompileError } from '../errors.ts';

/** One fault in an expression's text or types. */
export interface Issue {
  /** Offset in code points from the start of the source. */
  readonly offset: number;
  readonly message: string;
}

const MAX_SNIPPET = 16_384;
const MAX_ISSUES = 100;

/** Collects faults of one source and renders them the way cel-go does, with line, column and a marker below. */
export class IssueList {
  readonly source: string;
  readonly #issues: Issue[] = [];
  #count = 0;

  constructor(source: string) {
    this.source = source;
  }

  get empty(): boolean {
    return this.#count === 0;
  }

  report(offset: number, message: string): void {
    this.#count++;
    if (this.#count <= MAX_ISSUES) this.#issues.push({ offset, message });
  }

  /** @throws {@link CelCompileError} if anything was reported. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const sorted = [...this.#issues].sort((a, b) => a.offset - b.offset);
    throw new CelCompileError(this.#render(sorted), sorted);
  }

  #render(issues: readonly Issue[]): string {
    const points = Array.from(this.source);
    const texts = issues.map((issue) => render(points, issue));
    if (this.#count > MAX_ISSUES) texts.push(`${this.#count - MAX_ISSUES} more errors were truncated`);
    return texts.join('\n');
  }
}

function render(points: readonly string[], issue: Issue): string {
  if (issue.offset < 0) return `ERROR: <input>:-1:0: ${issue.message}`;
  let line = 1;
  let start = 0;
  for (let i = 0; i < issue.offset && i < points.length; i++) {
    if (points[i] === '\n') {
      line++;
      start = i + 1;
    }
  }
  const column = issue.offset - start;
  let end = points.indexOf('\n', start);
  if (end < 0) end = points.length;
  const snippet = points.slice(start, end).map((c) => (c === '\t' ? ' ' : c));
  const head = `ERROR: <input>:${line}:${column + 1}: ${issue.message}`;
  if (snippet.length > MAX_SNIPPET) return head;
  let marker = '';
  for (let i = 0; i < column && i < snippet.length; i++) marker += isWide(snippet[i]) ? '\uff0e' : '.';
  marker += isWide(snippet[column]) ? '\uff3e' : '^';
  return `${head}\n | ${snippet.join('')}\n | ${marker}`;
}

function isWide(char: string | undefined): boolean {
  return char !== undefined && char.codePointAt(0)! > 0x7f;
}
