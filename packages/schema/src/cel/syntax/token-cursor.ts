import { expectingOperand, type OperandPlace, startsOperand } from './expected-tokens.ts';
import type { IssueList } from './issue.ts';
import type { Token } from './lexer.ts';

/** Stops parsing after a fault that cannot be recovered from. */
export class Stop extends Error {}

/** The parser's position in the tokens of an expression. Reports what it finds instead of what it expects, in cel-go's words. */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  readonly #issues: IssueList;
  #at = 0;
  /**
   * The position where arguments, an index, a list or a map have just started: messages about a missing operand differ
   * there.
   */
  #opened: { readonly at: number; readonly place: OperandPlace } = { at: -1, place: 'none' };

  constructor(tokens: readonly Token[], issues: IssueList) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  /** Returns the current token, or one after it, without taking it. */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
  }

  /** True if the current token, or one after it, is this operator. */
  is(op: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'op' && token.text === op;
  }

  /** Takes the current token. */
  take(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }

  /** Takes the current token if it is this operator. */
  accept(op: string): Token | undefined {
    return this.is(op) ? this.take() : undefined;
  }

  /** Reports a syntax error as ANTLR words it. */
  syntaxError(token: Token, message: string): void {
    this.#issues.report(token.offset, `Syntax error: ${message}`);
  }

  /** Takes the operator. A superfluous token before it, or its absence at the very end, is reported and parsing continues. */
  expect(op: string, expecting = `'${op}'`): Token {
    const token = this.peek();
    if (this.is(op)) return this.take();
    if (token.kind !== 'eof' && this.is(op, 1)) {
      this.syntaxError(token, `extraneous input '${token.text}' expecting ${expecting}`);
      this.#at++;
      return this.take();
    }
    const insertable = op === ':' ? startsOperand(token) : token.kind === 'eof';
    if (insertable && expecting === `'${op}'`) {
      this.syntaxError(token, `missing ${expecting} at '${token.text}'`);
      return token;
    }
    this.syntaxError(token, `mismatched input '${token.text}' expecting ${expecting}`);
    throw new Stop();
  }

  /** Notes that arguments, an index, a list or a map have just started. */
  open(place: OperandPlace): void {
    this.#opened = { at: this.#at, place };
  }

  /** Returns what the parser's messages say is expected at the current token. */
  expecting(): string {
    return expectingOperand(this.#opened.at === this.#at ? this.#opened.place : 'none');
  }

  /** True if a list or map ends here: at its bracket or, after a comma, at the end of the source. */
  endsHere(close: string, count: number): boolean {
    return this.is(close) || (count > 0 && this.peek().kind === 'eof');
  }
}
