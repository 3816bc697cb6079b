import { type Expr, type MapEntry, qualifiedName, type StructField } from './ast.ts';
import { expectingOperand, type OperandPlace, startsOperand } from './expected-tokens.ts';
import { IssueList } from './issue.ts';
import { type Token, tokenize } from './lexer.ts';
import { bytesLiteral, doubleLiteral, intLiteral, type Literal, stringLiteral, uintLiteral } from './literals.ts';
import { type Macro, type MacroContext, macroKey } from './macro.ts';
import { NodeFactory } from './node-factory.ts';

/** Optional parts of the language. */
export interface ParserOptions {
  readonly macros: ReadonlyMap<string, Macro>;
  /** `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. */
  readonly optionalSyntax: boolean;
  /** Field names in back-quotes. */
  readonly escapedIdentifiers: boolean;
}

/** A parsed expression. */
export interface Parsed {
  readonly source: string;
  readonly expr: Expr;
  /** All node ids are less than this. */
  readonly nodeCount: number;
}

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);
const RELATIONS = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
/** Stops parsing after a fault that cannot be recovered from. */
class Stop extends Error {}

/**
 * Parses an expression and expands its macros.
 * @throws CelCompileError with every fault found and cel-go's messages.
 */
export function parse(source: string, options: ParserOptions): Parsed {
  const issues = new IssueList(source);
  const size = Array.from(source).length;
  if (size > MAX_CODE_POINTS) {
    issues.report(-1, `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`);
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
  readonly #tokens: readonly Token[];
  readonly #options: ParserOptions;
  readonly #issues: IssueList;
  #at = 0;
  #depth = 0;
  /**
   * The position where arguments, an index, a list or a map have just started: messages about a missing operand differ
   * there.
   */
  #opened: { readonly at: number; readonly place: OperandPlace } = { at: -1, place: 'none' };

  constructor(tokens: readonly Token[], options: ParserOptions, issues: IssueList) {
    this.#tokens = tokens;
    this.#options = options;
    this.#issues = issues;
  }

  start(): Expr {
    const expr = this.#expr();
    const token = this.#peek();
    if (token.kind !== 'eof') {
      const single = this.#peek(1).kind === 'eof';
      this.#syntax(token, `${single ? 'extraneous' : 'mismatched'} input '${token.text}' expecting <EOF>`);
    }
    return expr;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
  }

  #is(op: string, ahead = 0): boolean {
    const token = this.#peek(ahead);
    return token.kind === 'op' && token.text === op;
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #accept(op: string): Token | undefined {
    return this.#is(op) ? this.#take() : undefined;
  }

  #syntax(token: Token, message: string): void {
    this.#issues.report(token.offset, `Syntax error: ${message}`);
  }

  /** Takes the operator. A superfluous token before it, or its absence at the very end, is reported and parsing continues. */
  #expect(op: string, expecting = `'${op}'`): Token {
    const token = this.#peek();
    if (this.#is(op)) return this.#take();
    if (token.kind !== 'eof' && this.#is(op, 1)) {
      this.#syntax(token, `extraneous input '${token.text}' expecting ${expecting}`);
      this.#at++;
      return this.#take();
    }
    const insertable = op === ':' ? startsOperand(token) : token.kind === 'eof';
    if (insertable && expecting === `'${op}'`) {
      this.#syntax(token, `missing ${expecting} at '${token.text}'`);
      return token;
    }
    this.#syntax(token, `mismatched input '${token.text}' expecting ${expecting}`);
    throw new Stop();
  }

  #expr(): Expr {
    if (++this.#depth > MAX_DEPTH) {
      this.#issues.report(-1, `expression recursion limit exceeded: ${MAX_DEPTH}`);
      throw new Stop();
    }
    const condition = this.#logical('||');
    const question = this.#accept('?');
    let result = condition;
    if (question !== undefined) {
      const yes = this.#logical('||');
      this.#expect(':');
      const no = this.#expr();
      result = this.nodes.call(question.offset, '_?_:_', [condition, yes, no]);
    }
    this.#depth--;
    return result;
  }

  /** Turns a chain of one logical operator into a balanced tree, so that long chains stay shallow. */
  #logical(op: '||' | '&&'): Expr {
    const operand = (): Expr => (op === '||' ? this.#logical('&&') : this.#relation());
    const terms = [operand()];
    const ops: Token[] = [];
    while (this.#is(op)) {
      ops.push(this.#take());
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
    return this.nodes.call(ops[middle]!.offset, fn, [left, right]);
  }

  #relation(): Expr {
    let left = this.#sum();
    let chain = 0;
    for (let token = this.#peek(); token.kind === 'op' && RELATIONS.has(token.text); token = this.#peek()) {
      this.#limitChain(++chain);
      this.#at++;
      const fn = token.text === 'in' ? '@in' : `_${token.text}_`;
      left = this.nodes.call(token.offset, fn, [left, this.#sum()]);
    }
    return left;
  }

  #sum(): Expr {
    let left = this.#product();
    let chain = 0;
    for (let token = this.#peek(); this.#is('+') || this.#is('-'); token = this.#peek()) {
      this.#limitChain(++chain);
      this.#at++;
      left = this.nodes.call(token.offset, `_${token.text}_`, [left, this.#product()]);
    }
    return left;
  }

  #product(): Expr {
    let left = this.#unary();
    let chain = 0;
    for (let token = this.#peek(); this.#is('*') || this.#is('/') || this.#is('%'); token = this.#peek()) {
      this.#limitChain(++chain);
      this.#at++;
      left = this.nodes.call(token.offset, `_${token.text}_`, [left, this.#unary()]);
    }
    return left;
  }

  /** Left-recursive chains nest as deep as they are long. */
  #limitChain(length: number): void {
    if (length <= MAX_DEPTH) return;
    this.#issues.report(-1, 'max recursion depth exceeded');
    throw new Stop();
  }

  #unary(): Expr {
    const token = this.#peek();
    if (this.#is('!')) return this.#prefixed('!', '!_');
    if (this.#is('-')) {
      const kind = this.#peek(1).kind;
      if (kind !== 'int' && kind !== 'float') return this.#prefixed('-', '-_');
      this.#at++;
      return this.#member(this.#number(token.offset, true));
    }
    return this.#member(this.#primary());
  }

  #prefixed(op: string, fn: string): Expr {
    const first = this.#peek();
    let count = 0;
    while (this.#accept(op) !== undefined) count++;
    const member = this.#member(this.#primary());
    return count % 2 === 0 ? member : this.nodes.call(first.offset, fn, [member]);
  }

  #member(primary: Expr): Expr {
    let expr = primary;
    let chain = 0;
    for (;;) {
      if (this.#is('.')) expr = this.#dot(expr);
      else if (this.#is('[')) expr = this.#index(expr);
      else if (this.#is('{') && isTypeName(expr)) expr = this.#struct(expr);
      else return expr;
      this.#limitChain(++chain);
    }
  }

  #dot(operand: Expr): Expr {
    const dot = this.#take();
    const optional = this.#accept('?') !== undefined;
    const name = this.#peek();
    if (name.kind !== 'ident' && name.kind !== 'escapedIdent') return this.#missingName(operand, name, optional);
    this.#at++;
    if (this.#is('(') && name.kind === 'ident' && !optional) {
      const open = this.#take();
      return this.#methodOrMacro(open.offset, operand, { fn: name.text, args: this.#args() });
    }
    const field = this.#fieldName(name);
    if (!optional) return this.nodes.select(dot.offset, { operand, field });
    if (!this.#options.optionalSyntax) this.#issues.report(dot.offset, "unsupported syntax '.?'");
    return this.nodes.call(dot.offset, '_?._', [operand, this.nodes.constant(name.offset, field)]);
  }

  #missingName(operand: Expr, name: Token, optional: boolean): Expr {
    if (optional) {
      this.#syntax(name, `mismatched input '${name.text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`);
      this.#issues.report(name.offset, 'unsupported ident kind');
      throw new Stop();
    }
    if (['true', 'false', 'null'].includes(name.text)) {
      this.#syntax(name, `mismatched input '${name.text}' expecting IDENTIFIER`);
      throw new Stop();
    }
    this.#syntax(name, `no viable alternative at input '.${name.kind === 'eof' ? '' : name.text}'`);
    // `in` may also continue the expression as an operator.
    if (name.text === 'in') return operand;
    throw new Stop();
  }

  #fieldName(token: Token): string {
    if (token.kind === 'ident') return token.text;
    if (!this.#options.escapedIdentifiers) this.#issues.report(token.offset, "unsupported syntax: '`'");
    return token.text.slice(1, -1);
  }

  #index(operand: Expr): Expr {
    const open = this.#take();
    this.#open('index');
    const optional = this.#accept('?') !== undefined;
    if (optional && !this.#options.optionalSyntax) this.#issues.report(open.offset, "unsupported syntax '[?'");
    const index = this.#expr();
    this.#expect(']');
    return this.nodes.call(open.offset, optional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #args(): Expr[] {
    const args: Expr[] = [];
    this.#open('args');
    if (this.#accept(')') !== undefined) return args;
    do args.push(this.#expr());
    while (this.#accept(',') !== undefined);
    this.#expect(')');
    return args;
  }

  #primary(): Expr {
    const token = this.#peek();
    if (token.kind === 'op') {
      switch (token.text) {
        case '(':
          return this.#nested();
        case '[':
          return this.#list();
        case '{':
          return this.#map();
        case '.':
          if (this.#peek(1).kind === 'ident') {
            this.#at++;
            return this.#identOrCall('.', token.offset);
          }
          this.#at++;
          return this.#missingName(this.nodes.constant(token.offset, null), this.#peek(), false);
        case '-':
          if (this.#peek(1).kind === 'int' || this.#peek(1).kind === 'float') {
            this.#at++;
            return this.#number(token.offset, true);
          }
          break;
        case 'true':
        case 'false':
          this.#at++;
          return this.nodes.constant(token.offset, token.text === 'true');
        case 'null':
          this.#at++;
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
        this.#at++;
        return this.#literal(token.offset, stringLiteral(token.text));
      case 'bytes':
        this.#at++;
        return this.#literal(token.offset, bytesLiteral(token.text));
      default:
        return this.#missingOperand(token);
    }
  }

  #missingOperand(token: Token): Expr {
    if (token.kind !== 'eof' && startsOperand(this.#peek(1))) {
      this.#syntax(token, `extraneous input '${token.text}' expecting ${this.#expecting()}`);
      this.#at++;
      return this.#primary();
    }
    this.#syntax(token, `mismatched input '${token.text}' expecting ${this.#expecting()}`);
    throw new Stop();
  }

  #open(place: OperandPlace): void {
    this.#opened = { at: this.#at, place };
  }

  #expecting(): string {
    return expectingOperand(this.#opened.at === this.#at ? this.#opened.place : 'none');
  }

  #nested(): Expr {
    this.#take();
    const expr = this.#expr();
    this.#expect(')');
    return expr;
  }

  #number(offset: number, negative: boolean): Expr {
    const token = this.#take();
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
    const name = this.#take();
    if (RESERVED.has(name.text)) this.#issues.report(offset, `reserved identifier: ${name.text}`);
    const full = dot + name.text;
    const open = this.#accept('(');
    if (open === undefined) return this.nodes.ident(name.offset, full);
    const args = this.#args();
    const macro = this.#macro(full, { args: args.length, member: false });
    const expanded = macro && this.#expand(macro, open.offset, { target: undefined, args });
    return expanded ?? this.nodes.call(open.offset, full, args);
  }

  #methodOrMacro(offset: number, target: Expr, call: { readonly fn: string; readonly args: readonly Expr[] }): Expr {
    const macro = this.#macro(call.fn, { args: call.args.length, member: true });
    const expanded = macro && this.#expand(macro, offset, { target, args: call.args });
    return expanded ?? this.nodes.method(offset, target, call);
  }

  #macro(fn: string, call: { readonly args: number; readonly member: boolean }): Macro | undefined {
    return this.#options.macros.get(macroKey(fn, call));
  }

  #expand(
    macro: Macro,
    offset: number,
    call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr | undefined {
    const context: MacroContext = {
      nodes: this.nodes,
      offset,
      report: (expr, message) => {
        this.#issues.report(expr.offset, message);
        return this.nodes.constant(offset, null);
      },
    };
    return macro.expand(context, call);
  }

  #list(): Expr {
    const open = this.#take();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    let comma: Token | undefined = open;
    this.#open('list');
    while (comma !== undefined && !this.#endsHere(']', elements.length)) {
      if (this.#optionalMark()) optionals.add(elements.length);
      elements.push(this.#expr());
      comma = this.#accept(',');
    }
    this.#expect(']', comma === undefined ? "{']', ','}" : `']'`);
    return this.nodes.list(open.offset, elements, optionals);
  }

  /** True if a list or map ends here: at its bracket or, after a comma, at the end of the source. */
  #endsHere(close: string, count: number): boolean {
    return this.#is(close) || (count > 0 && this.#peek().kind === 'eof');
  }

  #optionalMark(): boolean {
    const mark = this.#accept('?');
    if (mark !== undefined && !this.#options.optionalSyntax) this.#issues.report(mark.offset, "unsupported syntax '?'");
    return mark !== undefined;
  }

  #map(): Expr {
    const open = this.#take();
    const entries: MapEntry[] = [];
    let comma: Token | undefined = open;
    this.#open('map');
    while (comma !== undefined && !this.#endsHere('}', entries.length)) {
      const optional = this.#optionalMark();
      const key = this.#expr();
      const colon = this.#expect(':');
      entries.push(this.nodes.entry(colon.offset, { key, value: this.#expr(), optional }));
      comma = this.#accept(',');
    }
    this.#expect('}', comma === undefined ? "{'}', ','}" : `'}'`);
    return this.nodes.map(open.offset, entries);
  }

  #struct(type: Expr): Expr {
    const open = this.#take();
    const fields: StructField[] = [];
    while (!this.#is('}')) {
      const optional = this.#optionalMark();
      const name = this.#peek();
      if (name.kind !== 'ident' && name.kind !== 'escapedIdent') {
        this.#syntax(name, `mismatched input '${name.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`);
        throw new Stop();
      }
      this.#at++;
      const field = this.#fieldName(name);
      const colon = this.#expect(':');
      fields.push(this.nodes.field(colon.offset, { name: field, value: this.#expr(), optional }));
      if (this.#accept(',') === undefined) break;
    }
    this.#expect('}', fields.length === 0 ? `'}'` : "{'}', ','}");
    return this.nodes.struct(open.offset, qualifiedName(type)!, fields);
  }
}

function isTypeName(expr: Expr): boolean {
  return qualifiedName(expr) !== undefined;
}
