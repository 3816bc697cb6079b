import { CelCompileError } from '../errors.ts';

/** A syntax or type error in an expression. */
export interface Issue {
  /** Offset in UTF-16 units from the start of the source; -1 if the issue has no location. */
  readonly offset: number;
  readonly message: string;
}

const maxSnippet = 16_384;
const maxIssues = 100;

/**
 * Collects the errors of one expression. Formats them like cel-go: with line, column, and a marker below the source line.
 */
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
    if (this.#count <= maxIssues) this.#issues.push({ offset, message });
  }

  /** @throws {@link CelCompileError} if anything was reported. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const sorted = [...this.#issues].sort((a, b) => a.offset - b.offset);
    throw new CelCompileError(this.#render(sorted), sorted);
  }

  #render(issues: readonly Issue[]): string {
    const texts = issues.map((issue) => render(this.source, issue));
    if (this.#count > maxIssues) texts.push(`${this.#count - maxIssues} more errors were truncated`);
    return texts.join('\n');
  }
}

/** Columns count code points. */
function render(source: string, issue: Issue): string {
  // For an empty source, cel-go shows no line.
  if (source === '') return `ERROR: <input>:1:0: ${issue.message}`;
  if (issue.offset < 0) return `ERROR: <input>:-1:0: ${issue.message}`;
  const before = source.slice(0, issue.offset);
  const start = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const end = source.indexOf('\n', issue.offset);
  const snippet = Array.from(source.slice(start, end < 0 ? undefined : end).replaceAll('\t', ' '));
  const column = Array.from(source.slice(start, issue.offset)).length;
  const head = `ERROR: <input>:${line}:${column + 1}: ${issue.message}`;
  if (snippet.length > maxSnippet) return head;
  const dots = snippet.slice(0, column).map((char) => (isWide(char) ? '\uff0e' : '.'));
  const marker = isWide(snippet[column]) ? '\uff3e' : '^';
  return `${head}\n | ${snippet.join('')}\n | ${dots.join('')}${marker}`;
}

function isWide(char: string | undefined): boolean {
  return char !== undefined && char.codePointAt(0)! > 0x7f;
}
