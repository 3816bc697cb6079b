import { type Expr, type MapEntry, qualifiedName, type StructField } from './ast.ts';
import type { IssueList } from './issue.ts';
import type { Token } from './lexer.ts';
import type { NodeFactory } from './node-factory.ts';
import type { ParserOptions } from './parser-options.ts';
import { Stop, type TokenCursor } from './token-cursor.ts';

/** The parts of the parser that {@link Aggregates} needs. */
interface AggregateParts {
  readonly cursor: TokenCursor;
  readonly nodes: NodeFactory;
  readonly issues: IssueList;
  readonly options: ParserOptions;
  /** Parses an element. */
  readonly expr: () => Expr;
}

/** Parses lists, maps and structures. */
export class Aggregates {
  readonly #parts: AggregateParts;

  constructor(parts: AggregateParts) {
    this.#parts = parts;
  }

  /** Parses `[a, b]`. */
  list(): Expr {
    const open = this.#parts.cursor.take();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    let comma: Token | undefined = open;
    this.#parts.cursor.open('list');
    while (comma !== undefined && !this.#parts.cursor.endsHere(']', elements.length)) {
      if (this.#optionalMark()) optionals.add(elements.length);
      elements.push(this.#parts.expr());
      comma = this.#parts.cursor.accept(',');
    }
    this.#parts.cursor.expect(']', comma === undefined ? "{']', ','}" : `']'`);
    return this.#parts.nodes.list(open.offset, elements, optionals);
  }

  #optionalMark(): boolean {
    const mark = this.#parts.cursor.accept('?');
    if (mark !== undefined && !this.#parts.options.optionalSyntax)
      this.#parts.issues.report(mark.offset, "unsupported syntax '?'");
    return mark !== undefined;
  }

  /** Parses `{a: b}`. */
  map(): Expr {
    const open = this.#parts.cursor.take();
    const entries: MapEntry[] = [];
    let comma: Token | undefined = open;
    this.#parts.cursor.open('map');
    while (comma !== undefined && !this.#parts.cursor.endsHere('}', entries.length)) {
      const optional = this.#optionalMark();
      const key = this.#parts.expr();
      const colon = this.#parts.cursor.expect(':');
      entries.push(this.#parts.nodes.entry(colon.offset, { key, value: this.#parts.expr(), optional }));
      comma = this.#parts.cursor.accept(',');
    }
    this.#parts.cursor.expect('}', comma === undefined ? "{'}', ','}" : `'}'`);
    return this.#parts.nodes.map(open.offset, entries);
  }

  /** Parses `Type{a: b}`. */
  struct(type: Expr): Expr {
    const open = this.#parts.cursor.take();
    const fields: StructField[] = [];
    while (!this.#parts.cursor.is('}')) {
      const optional = this.#optionalMark();
      const name = this.#parts.cursor.peek();
      if (name.kind !== 'ident' && name.kind !== 'escapedIdent') {
        this.#parts.cursor.syntaxError(
          name,
          `mismatched input '${name.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`,
        );
        throw new Stop();
      }
      this.#parts.cursor.take();
      const field = this.fieldName(name);
      const colon = this.#parts.cursor.expect(':');
      fields.push(this.#parts.nodes.field(colon.offset, { name: field, value: this.#parts.expr(), optional }));
      if (this.#parts.cursor.accept(',') === undefined) break;
    }
    this.#parts.cursor.expect('}', fields.length === 0 ? `'}'` : "{'}', ','}");
    return this.#parts.nodes.struct(open.offset, qualifiedName(type)!, fields);
  }

  /** Returns a field's name from its token. */
  fieldName(token: Token): string {
    if (token.kind === 'ident') return token.text;
    if (!this.#parts.options.escapedIdentifiers) this.#parts.issues.report(token.offset, "unsupported syntax: '`'");
    return token.text.slice(1, -1);
  }
}
