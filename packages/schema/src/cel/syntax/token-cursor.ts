import { expectingOperand, type OperandPlace, startsOperand } from './expected-tokens.ts';
import type { IssueList } from './issue.ts';
import type { Token } from './lexer.ts';

/** Thrown to stop parsing after an unrecoverable error. */
export class Stop extends Error {}

/** The parser's position in the list of tokens. Reports unexpected tokens in cel-go's wording. */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  readonly #issues: IssueList;
  #at = 0;
  /**
   * The position right after the start of arguments, an index, a list or a map. Messages list more expected tokens at
   * this position.
   */
  #opened: { readonly at: number; readonly place: OperandPlace } = { at: -1, place: 'none' };

  constructor(tokens: readonly Token[], issues: IssueList) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  /** Returns the token `ahead` positions after the current token, without consuming it. */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
  }

  /** True if the token `ahead` positions after the current token is this operator. */
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

  /** Consumes the current token if it is this operator. */
  accept(op: string): Token | undefined {
    return this.is(op) ? this.take() : undefined;
  }

  /** Reports a syntax error in ANTLR's wording. */
  syntaxError(token: Token, message: string): void {
    this.#issues.report(token.offset, `Syntax error: ${message}`);
  }

  /**
   * Consumes the operator. If one extra token precedes the operator, or if the operator is missing at the end, reports
   * the error and continues parsing.
   */
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

  /** Marks the current position as the start of arguments, an index, a list or a map. */
  open(place: OperandPlace): void {
    this.#opened = { at: this.#at, place };
  }

  /** Returns the tokens that are expected at the current position, for messages. */
  expecting(): string {
    return expectingOperand(this.#opened.at === this.#at ? this.#opened.place : 'none');
  }

  /** True if a list or map ends here: at its bracket or, after a comma, at the end of the source. */
  endsHere(close: string, count: number): boolean {
    return this.is(close) || (count > 0 && this.peek().kind === 'eof');
  }
}
