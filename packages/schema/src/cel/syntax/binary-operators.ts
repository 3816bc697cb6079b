import type { Expr } from './ast.ts';
import type { IssueList } from './issue.ts';
import type { Token } from './lexer.ts';
import type { NodeFactory } from './node-factory.ts';
import { Stop, type TokenCursor } from './token-cursor.ts';

/** Maximum depth of an expression. */
export const maxDepth = 250;
const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
const sums = new Set(['+', '-']);
const products = new Set(['*', '/', '%']);

/** Parses operators between operands by their precedence: `||`, `&&`, relations, sums, products. */
export class BinaryOperators {
  readonly #parts: {
    readonly cursor: TokenCursor;
    readonly nodes: NodeFactory;
    readonly issues: IssueList;
    /** Parses an operand. */
    readonly unary: () => Expr;
  };

  constructor(parts: {
    readonly cursor: TokenCursor;
    readonly nodes: NodeFactory;
    readonly issues: IssueList;
    readonly unary: () => Expr;
  }) {
    this.#parts = parts;
  }

  /** Parses operands and the operators between them. */
  parse(): Expr {
    return this.#logical('||');
  }

  /** Parses a chain of `||` or `&&` into a balanced tree, so that long chains are not nested deeply. */
  #logical(op: '||' | '&&'): Expr {
    const operand = (): Expr => (op === '||' ? this.#logical('&&') : this.#relation());
    const terms = [operand()];
    const ops: Token[] = [];
    const { cursor } = this.#parts;
    while (cursor.is(op)) {
      ops.push(cursor.take());
      terms.push(operand());
    }
    return terms.length === 1 ? terms[0]! : this.#balance(`_${op}_`, { terms, ops, low: 0, high: ops.length - 1 });
  }

  #balance(
    fn: string,
    chain: {
      readonly terms: readonly Expr[];
      readonly ops: readonly Token[];
      readonly low: number;
      readonly high: number;
    },
  ): Expr {
    const { terms, ops, low, high } = chain;
    const middle = (low + high + 1) >> 1;
    const left = middle === low ? terms[middle]! : this.#balance(fn, { ...chain, high: middle - 1 });
    const right = middle === high ? terms[middle + 1]! : this.#balance(fn, { ...chain, low: middle + 1 });
    return this.#parts.nodes.call(ops[middle]!.offset, fn, [left, right]);
  }

  #relation(): Expr {
    return this.#chain(relations, () => this.#sum());
  }

  #sum(): Expr {
    return this.#chain(sums, () => this.#product());
  }

  #product(): Expr {
    return this.#chain(products, this.#parts.unary);
  }

  /** Parses left-associative operators of one precedence. */
  #chain(operators: ReadonlySet<string>, operand: () => Expr): Expr {
    const { cursor, nodes } = this.#parts;
    let left = operand();
    for (let length = 1; cursor.peek().kind === 'op' && operators.has(cursor.peek().text); length++) {
      this.limitChain(length);
      const { offset, text } = cursor.take();
      left = nodes.call(offset, text === 'in' ? '@in' : `_${text}_`, [left, operand()]);
    }
    return left;
  }

  /** Rejects chains that are too long, because each operator of a left-associative chain adds a level of nesting. */
  limitChain(length: number): void {
    if (length <= maxDepth) return;
    this.#parts.issues.report(-1, 'max recursion depth exceeded');
    throw new Stop();
  }
}
