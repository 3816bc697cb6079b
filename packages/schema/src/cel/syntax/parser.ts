import { Aggregates } from './aggregates.ts';
import { type Expr, qualifiedName } from './ast.ts';
import { BinaryOperators, maxDepth } from './binary-operators.ts';
import { startsOperand } from './expected-tokens.ts';
import { IssueList } from './issue.ts';
import { type Token, tokenize } from './lexer.ts';
import { bytesLiteral, doubleLiteral, intLiteral, type Literal, stringLiteral, uintLiteral } from './literals.ts';
import { MacroExpander } from './macro-expander.ts';
import { NodeFactory } from './node-factory.ts';
import type { ParserOptions } from './parser-options.ts';
import { Stop, TokenCursor } from './token-cursor.ts';

/** A parsed expression. */
export interface Parsed {
  readonly source: string;
  readonly expr: Expr;
  /** Number of nodes; node ids range from 0 to `nodeCount - 1`. */
  readonly nodeCount: number;
}

const maxCodePoints = 100_000;
const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);
/**
 * Parses an expression and expands its macros.
 * @throws CelCompileError with all syntax errors, in cel-go's wording
 */
export function parse(source: string, options: ParserOptions): Parsed {
  const issues = new IssueList(source);
  const size = Array.from(source).length;
  if (size > maxCodePoints) {
    issues.report(-1, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`);
    issues.throwIfAny();
  }
  const parser = new Parser(tokenize(source, issues), options, issues);
  let expr: Expr | undefined;
  try {
    expr = parser.start();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  issues.throwIfAny();
  return { source, expr: expr!, nodeCount: parser.nodes.count };
}

class Parser {
  readonly nodes: NodeFactory = new NodeFactory();
  readonly #cursor: TokenCursor;
  readonly #operators: BinaryOperators;
  readonly #aggregates: Aggregates;
  readonly #macros: MacroExpander;
  readonly #options: ParserOptions;
  readonly #issues: IssueList;
  #depth = 0;

  constructor(tokens: readonly Token[], options: ParserOptions, issues: IssueList) {
    this.#cursor = new TokenCursor(tokens, issues);
    this.#operators = new BinaryOperators({
      cursor: this.#cursor,
      nodes: this.nodes,
      issues,
      unary: () => this.#unary(),
    });
    this.#aggregates = new Aggregates({
      cursor: this.#cursor,
      nodes: this.nodes,
      issues,
      options,
      expr: () => this.#expr(),
    });
    this.#macros = new MacroExpander(options.macros, { nodes: this.nodes, issues });
    this.#options = options;
    this.#issues = issues;
  }

  start(): Expr {
    const expr = this.#expr();
    const token = this.#cursor.peek();
    if (token.kind !== 'eof') {
      const single = this.#cursor.peek(1).kind === 'eof';
      this.#cursor.syntaxError(token, `${single ? 'extraneous' : 'mismatched'} input '${token.text}' expecting <EOF>`);
    }
    return expr;
  }

  #expr(): Expr {
    if (++this.#depth > maxDepth) {
      this.#issues.report(-1, `expression recursion limit exceeded: ${maxDepth}`);
      throw new Stop();
    }
    const condition = this.#operators.parse();
    const question = this.#cursor.accept('?');
    let result = condition;
    if (question !== undefined) {
      const yes = this.#operators.parse();
      this.#cursor.expect(':');
      const no = this.#expr();
      result = this.nodes.call(question.offset, '_?_:_', [condition, yes, no]);
    }
    this.#depth--;
    return result;
  }

  #unary(): Expr {
    const token = this.#cursor.peek();
    if (this.#cursor.is('!')) return this.#prefixed('!', '!_');
    if (this.#cursor.is('-')) {
      const kind = this.#cursor.peek(1).kind;
      if (kind !== 'int' && kind !== 'float') return this.#prefixed('-', '-_');
      this.#cursor.take();
      return this.#member(this.#number(token.offset, true));
    }
    return this.#member(this.#primary());
  }

  #prefixed(op: string, fn: string): Expr {
    const first = this.#cursor.peek();
    let count = 0;
    while (this.#cursor.accept(op) !== undefined) count++;
    const member = this.#member(this.#primary());
    return count % 2 === 0 ? member : this.nodes.call(first.offset, fn, [member]);
  }

  #member(primary: Expr): Expr {
    let expr = primary;
    let chain = 0;
    for (;;) {
      if (this.#cursor.is('.')) expr = this.#dot(expr);
      else if (this.#cursor.is('[')) expr = this.#index(expr);
      else if (this.#cursor.is('{') && isTypeName(expr)) expr = this.#aggregates.struct(expr);
      else return expr;
      this.#operators.limitChain(++chain);
    }
  }

  #dot(operand: Expr): Expr {
    const dot = this.#cursor.take();
    const optional = this.#cursor.accept('?') !== undefined;
    const name = this.#cursor.peek();
    if (name.kind !== 'ident' && name.kind !== 'escapedIdent') return this.#missingName(operand, name, optional);
    this.#cursor.take();
    if (this.#cursor.is('(') && name.kind === 'ident' && !optional) {
      const open = this.#cursor.take();
      return this.#methodOrMacro(open.offset, operand, { fn: name.text, args: this.#args() });
    }
    const field = this.#aggregates.fieldName(name);
    if (!optional) return this.nodes.select(dot.offset, { operand, field });
    if (!this.#options.optionalSyntax) this.#issues.report(dot.offset, "unsupported syntax '.?'");
    return this.nodes.call(dot.offset, '_?._', [operand, this.nodes.constant(name.offset, field)]);
  }

  #missingName(operand: Expr, name: Token, optional: boolean): Expr {
    if (optional) {
      this.#cursor.syntaxError(name, `mismatched input '${name.text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`);
      this.#issues.report(name.offset, 'unsupported ident kind');
      throw new Stop();
    }
    if (['true', 'false', 'null'].includes(name.text)) {
      this.#cursor.syntaxError(name, `mismatched input '${name.text}' expecting IDENTIFIER`);
      throw new Stop();
    }
    this.#cursor.syntaxError(name, `no viable alternative at input '.${name.kind === 'eof' ? '' : name.text}'`);
    // `in` can be an operator that follows the operand, so continue parsing.
    if (name.text === 'in') return operand;
    throw new Stop();
  }

  #index(operand: Expr): Expr {
    const open = this.#cursor.take();
    this.#cursor.open('index');
    const optional = this.#cursor.accept('?') !== undefined;
    if (optional && !this.#options.optionalSyntax) this.#issues.report(open.offset, "unsupported syntax '[?'");
    const index = this.#expr();
    this.#cursor.expect(']');
    return this.nodes.call(open.offset, optional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #args(): Expr[] {
    const args: Expr[] = [];
    this.#cursor.open('args');
    if (this.#cursor.accept(')') !== undefined) return args;
    do args.push(this.#expr());
    while (this.#cursor.accept(',') !== undefined);
    this.#cursor.expect(')');
    return args;
  }

  #primary(): Expr {
    const token = this.#cursor.peek();
    if (token.kind === 'op') {
      switch (token.text) {
        case '(':
          return this.#nested();
        case '[':
          return this.#aggregates.list();
        case '{':
          return this.#aggregates.map();
        case '.':
          if (this.#cursor.peek(1).kind === 'ident') {
            this.#cursor.take();
            return this.#identOrCall('.', token.offset);
          }
          this.#cursor.take();
          return this.#missingName(this.nodes.constant(token.offset, null), this.#cursor.peek(), false);
        case '-':
          if (this.#cursor.peek(1).kind === 'int' || this.#cursor.peek(1).kind === 'float') {
            this.#cursor.take();
            return this.#number(token.offset, true);
          }
          break;
        case 'true':
        case 'false':
          this.#cursor.take();
          return this.nodes.constant(token.offset, token.text === 'true');
        case 'null':
          this.#cursor.take();
          return this.nodes.constant(token.offset, null);
      }
    }
    return this.#operand(token);
  }

  #operand(token: Token): Expr {
    switch (token.kind) {
      case 'ident':
        return this.#identOrCall('', token.offset);
      case 'int':
      case 'uint':
      case 'float':
        return this.#number(token.offset, false);
      case 'string':
        this.#cursor.take();
        return this.#literal(token.offset, stringLiteral(token.text));
      case 'bytes':
        this.#cursor.take();
        return this.#literal(token.offset, bytesLiteral(token.text));
      default:
        return this.#missingOperand(token);
    }
  }

  #missingOperand(token: Token): Expr {
    if (token.kind !== 'eof' && startsOperand(this.#cursor.peek(1))) {
      this.#cursor.syntaxError(token, `extraneous input '${token.text}' expecting ${this.#cursor.expecting()}`);
      this.#cursor.take();
      return this.#primary();
    }
    this.#cursor.syntaxError(token, `mismatched input '${token.text}' expecting ${this.#cursor.expecting()}`);
    throw new Stop();
  }

  #nested(): Expr {
    this.#cursor.take();
    const expr = this.#expr();
    this.#cursor.expect(')');
    return expr;
  }

  #number(offset: number, negative: boolean): Expr {
    const token = this.#cursor.take();
    if (token.kind === 'int') return this.#literal(offset, intLiteral(token.text, negative));
    if (token.kind === 'uint') return this.#literal(offset, uintLiteral(token.text));
    return this.#literal(offset, doubleLiteral(token.text, negative));
  }

  #literal(offset: number, literal: Literal): Expr {
    if ('value' in literal) return this.nodes.constant(offset, literal.value);
    this.#issues.report(offset, literal.error);
    return this.nodes.constant(offset, null);
  }

  #identOrCall(dot: '' | '.', offset: number): Expr {
    const name = this.#cursor.take();
    if (reserved.has(name.text)) this.#issues.report(offset, `reserved identifier: ${name.text}`);
    const full = dot + name.text;
    const open = this.#cursor.accept('(');
    if (open === undefined) return this.nodes.ident(name.offset, full);
    const args = this.#args();
    const expanded = this.#macros.expand(full, open.offset, { target: undefined, args });
    return expanded ?? this.nodes.call(open.offset, full, args);
  }

  #methodOrMacro(offset: number, target: Expr, call: { readonly fn: string; readonly args: readonly Expr[] }): Expr {
    const expanded = this.#macros.expand(call.fn, offset, { target, args: call.args });
    return expanded ?? this.nodes.method(offset, target, call);
  }
}

function isTypeName(expr: Expr): boolean {
  return qualifiedName(expr) !== undefined;
}
