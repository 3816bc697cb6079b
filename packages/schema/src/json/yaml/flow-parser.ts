import { readName, readProperties, withProperties } from './node-properties.ts';
import { continuePlain, isKeyEnd, readPlainLine, startsPlain } from './plain-scalar.ts';
import { readQuoted } from './quoted-scalar.ts';
import type { YamlCursor } from './yaml-cursor.ts';
import { isPlain, scalarNode, type YamlMap, type YamlNode, type YamlSequence } from './yaml-node.ts';

/** Parses scalars, aliases, and collections in brackets or braces. */
export class FlowParser {
  readonly #cursor: YamlCursor;

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
  }

  /** Parses an alias, a quoted scalar, the first line of a plain scalar, or a flow collection. */
  node(options: { readonly inFlow: boolean; readonly minColumn: number }): YamlNode {
    const cursor = this.#cursor;
    const { at } = cursor;
    const c = cursor.text[at];
    if (c === '*') return { kind: 'alias', source: readName(cursor), properties: undefined };
    if (c === '"' || c === "'") return scalarNode(readQuoted(cursor, options.minColumn), at, false);
    if (c === '[' || c === '{') return this.#collection(options.minColumn);
    if (!options.inFlow && isKeyEnd(cursor, false)) return scalarNode('', at, true);
    if (!startsPlain(cursor, options.inFlow)) cursor.fail('found character that cannot start any token');
    return scalarNode(readPlainLine(cursor, options.inFlow), at, true);
  }

  #collection(minColumn: number): YamlSequence | YamlMap {
    const cursor = this.#cursor;
    cursor.enter();
    const isMap = cursor.text[cursor.at] === '{';
    const close = isMap ? '}' : ']';
    const map: YamlMap = { kind: 'map', keys: [], values: [], properties: undefined };
    const sequence: YamlSequence = { kind: 'sequence', items: [], properties: undefined };
    cursor.at++;
    for (;;) {
      this.#skip(minColumn);
      if (cursor.text[cursor.at] === close) break;
      this.#entry(isMap ? map : sequence, minColumn);
      this.#skip(minColumn);
      const c = cursor.text[cursor.at];
      if (c === close) break;
      if (c !== ',') cursor.fail(`did not find expected ',' or '${close}'`);
      cursor.at++;
    }
    cursor.at++;
    cursor.leave();
    return isMap ? map : sequence;
  }

  /** Parses one entry of a flow collection: a pair in a map, a node or a single pair in a sequence. */
  #entry(into: YamlMap | YamlSequence, minColumn: number): void {
    const cursor = this.#cursor;
    const options = { inFlow: true, minColumn };
    if (cursor.text[cursor.at] === '?' && cursor.isBreakOrBlank(1)) {
      cursor.fail('explicit keys are not supported in YAML of this size; use JSON');
    }
    const { lineStart } = cursor;
    const node = this.#value(options);
    const isJsonLike = !isPlain(node) && node.kind !== 'alias';
    const from = { at: cursor.at, lineStart: cursor.lineStart };
    this.#skip(minColumn);
    const isKey = isKeyEnd(cursor, true) || (isJsonLike && cursor.text[cursor.at] === ':');
    if (isKey && (into.kind === 'map' || cursor.lineStart === lineStart)) {
      cursor.at++;
      this.#skip(minColumn);
      const value = this.#isEnd() ? scalarNode('', cursor.at, true) : this.#value(options);
      if (into.kind === 'sequence')
        into.items.push({ kind: 'map', keys: [node], values: [value], properties: undefined });
      else {
        into.keys.push(node);
        into.values.push(value);
      }
      return;
    }
    cursor.at = from.at;
    cursor.lineStart = from.lineStart;
    if (into.kind === 'sequence') into.items.push(node);
    else {
      into.keys.push(node);
      into.values.push(null);
    }
  }

  #value(options: { readonly inFlow: boolean; readonly minColumn: number }): YamlNode {
    const cursor = this.#cursor;
    const own = readProperties(cursor);
    if (own !== undefined) this.#skip(options.minColumn);
    if (this.#isEnd() || isKeyEnd(cursor, true)) return withProperties(cursor, scalarNode('', cursor.at, true), own);
    const node = withProperties(cursor, this.node(options), own);
    if (isPlain(node)) node.text = continuePlain(cursor, node.text, options);
    return node;
  }

  #isEnd(): boolean {
    const c = this.#cursor.text[this.#cursor.at];
    return c === ',' || c === ']' || c === '}';
  }

  #skip(minColumn: number): void {
    const cursor = this.#cursor;
    const left = cursor.skipToContent();
    if (cursor.atEnd) cursor.fail('did not find expected node content');
    if (left && cursor.isDocumentMarker()) cursor.fail('found unexpected document indicator');
    if (left && cursor.column < minColumn && !this.#isEnd()) cursor.fail('did not find expected node content');
  }
}
