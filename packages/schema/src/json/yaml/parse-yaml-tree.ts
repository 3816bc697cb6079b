import { BodyReadError } from '../parsed-body.ts';
import { readBlockScalar } from './block-scalar.ts';
import { continuePlain, isKeyEnd, readPlainLine, startsPlain } from './plain-scalar.ts';
import { readQuoted } from './quoted-scalar.ts';
import { dash, YamlCursor } from './yaml-cursor.ts';
import {
  scalarNode,
  type YamlMap,
  type YamlNode,
  type YamlProperties,
  type YamlScalar,
  type YamlSequence,
} from './yaml-node.ts';

/** A document, and a way to find the line of an offset in it. */
export interface YamlTree {
  readonly contents: YamlNode | null;
  /** Returns the line number of an offset, from 1. */
  lineOf(at: number): number;
}

/**
 * Parses the first document of a YAML text in linear time, about 100 times as fast as the YAML library, whose few
 * microseconds per byte would block a server for seconds. Returns the same tree as the library for texts that it accepts; it
 * rejects explicit keys (`? `).
 *
 * @throws {@link BodyReadError}
 */
export function parseYamlTree(text: string, maxDepth: number): YamlTree {
  const cursor = new YamlCursor(text, maxDepth);
  return { contents: new TreeParser(cursor).document(), lineOf: (at) => cursor.lineOf(at) };
}

/** Maximum length of an implicit key: the specification's limit. */
const maxKeyLength = 1024;

class TreeParser {
  readonly #cursor: YamlCursor;
  #depth = 0;

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
  }

  document(): YamlNode | null {
    const cursor = this.#cursor;
    cursor.skipToContent();
    while (cursor.text[cursor.at] === '%' && cursor.column === 0) {
      cursor.nextLine();
      cursor.skipToContent();
    }
    if (cursor.isDocumentMarker() && cursor.code() === dash) {
      cursor.at += 3;
      cursor.skipToContent();
    }
    if (cursor.atEnd || cursor.isDocumentMarker()) return null;
    const node = this.#block(-1, { inline: false, sequenceAtParent: false });
    cursor.skipToContent();
    if (!cursor.atEnd && !cursor.isDocumentMarker()) cursor.fail('did not find expected <document start>');
    return node;
  }

  /**
   * Parses a node at the cursor.
   *
   * @param parent - column of the enclosing collection
   * @param options.inline - true directly after a key, where a block collection cannot start
   * @param options.sequenceAtParent - true for a key's value, which may be a sequence in the key's own column
   */
  #block(parent: number, options: { readonly inline: boolean; readonly sequenceAtParent: boolean }): YamlNode | null {
    const cursor = this.#cursor;
    let { inline } = options;
    if (++this.#depth > cursor.maxDepth) {
      throw new BodyReadError('depth', `yaml: exceeded max depth of ${cursor.maxDepth}`);
    }
    const start = { at: cursor.at, column: cursor.column };
    const own = this.#properties();
    let node: YamlNode | null;
    if (own !== undefined && cursor.skipToContent()) {
      // Properties on a separate line belong to the node that follows, which can be a collection.
      inline = false;
      const least = options.sequenceAtParent && this.#isSequenceEntry() ? parent : parent + 1;
      if (cursor.atEnd || cursor.isDocumentMarker() || cursor.column < least) node = scalarNode('', start.at, true);
      else node = this.#block(parent, { inline, sequenceAtParent: options.sequenceAtParent });
      // Properties may be spread over several lines: `&a`, then `!!str`.
      if (node !== null)
        this.#mark(node, { anchor: own.anchor ?? node.properties?.anchor, tag: own.tag ?? node.properties?.tag });
    } else {
      node = this.#blockContent(parent, { own, inline, start });
    }
    this.#depth--;
    return node;
  }

  #blockContent(
    parent: number,
    options: {
      readonly own: YamlProperties | undefined;
      readonly inline: boolean;
      readonly start: { readonly at: number; readonly column: number };
    },
  ): YamlNode | null {
    const { own, inline, start } = options;
    const cursor = this.#cursor;
    if (this.#isSequenceEntry()) {
      if (inline || own !== undefined) cursor.fail('block sequence entries are not allowed in this context');
      return this.#sequence(cursor.column);
    }
    const c = cursor.text[cursor.at];
    if (c === '?' && cursor.isBreakOrBlank(1)) {
      cursor.fail('explicit keys are not supported in YAML of this size; use JSON');
    }
    if (c === '|' || c === '>') {
      const at = cursor.at;
      const text = readBlockScalar(cursor, parent);
      return this.#mark(scalarNode(text, at, false), own);
    }
    const line = cursor.lineStart;
    const first = this.#mark(this.#flowNode({ inFlow: false, minColumn: parent + 1 }), own);
    const from = cursor.at;
    cursor.skipBlanks();
    if (isKeyEnd(cursor, false) && line === cursor.lineStart) {
      if (inline) cursor.fail('mapping values are not allowed in this context');
      if (cursor.at - start.at > maxKeyLength) cursor.fail("could not find expected ':'");
      return this.#mapping(start.column, first);
    }
    cursor.at = from;
    const { inFlow, minColumn } = { inFlow: false, minColumn: parent + 1 };
    if (isPlain(first)) first.text = continuePlain(cursor, first.text, { inFlow, minColumn });
    cursor.skipBlanks();
    const isComment = cursor.text[cursor.at] === '#' && cursor.at > from;
    if (!cursor.isBreak() && !isComment) cursor.fail('did not find expected key');
    return first;
  }

  #isSequenceEntry(): boolean {
    return this.#cursor.code() === dash && this.#cursor.isBreakOrBlank(1);
  }

  #sequence(column: number): YamlSequence {
    const cursor = this.#cursor;
    const sequence: YamlSequence = { kind: 'sequence', items: [], properties: undefined };
    for (;;) {
      cursor.at++;
      const left = cursor.skipToContent();
      const isEmpty = cursor.atEnd || cursor.isDocumentMarker() || (left && cursor.column <= column);
      sequence.items.push(
        isEmpty ? scalarNode('', cursor.at, true) : this.#block(column, { inline: false, sequenceAtParent: false }),
      );
      cursor.skipToContent();
      if (cursor.atEnd || cursor.isDocumentMarker() || cursor.column < column) return sequence;
      if (cursor.column > column || cursor.at === cursor.lineStart + column - 1) {
        cursor.fail("did not find expected '-' indicator");
      }
      if (!this.#isSequenceEntry()) return sequence;
    }
  }

  #mapping(column: number, firstKey: YamlNode): YamlMap {
    const cursor = this.#cursor;
    const map: YamlMap = { kind: 'map', keys: [], values: [], properties: undefined };
    let key = firstKey;
    for (;;) {
      cursor.at++; // the colon
      map.keys.push(key);
      map.values.push(this.#value(column));
      cursor.skipToContent();
      if (cursor.atEnd || cursor.isDocumentMarker() || cursor.column < column) return map;
      if (cursor.column > column || this.#isSequenceEntry()) cursor.fail('did not find expected key');
      key = this.#key();
    }
  }

  #key(): YamlNode {
    const cursor = this.#cursor;
    const { at, lineStart } = cursor;
    if (cursor.text[at] === '?' && cursor.isBreakOrBlank(1)) {
      cursor.fail('explicit keys are not supported in YAML of this size; use JSON');
    }
    const own = this.#properties();
    const key = this.#mark(this.#flowNode({ inFlow: false, minColumn: 0 }), own);
    cursor.skipBlanks();
    const isKey = isKeyEnd(cursor, false) && cursor.lineStart === lineStart && cursor.at - at <= maxKeyLength;
    if (!isKey) {
      cursor.at = at;
      cursor.fail("could not find expected ':'");
    }
    return key;
  }

  /** Parses the value after a key's colon. */
  #value(column: number): YamlNode | null {
    const cursor = this.#cursor;
    if (!cursor.skipToContent()) {
      if (cursor.atEnd) return scalarNode('', cursor.at, true);
      return this.#block(column, { inline: true, sequenceAtParent: true });
    }
    const least = this.#isSequenceEntry() ? column : column + 1;
    if (cursor.atEnd || cursor.isDocumentMarker() || cursor.column < least) return scalarNode('', cursor.at, true);
    return this.#block(column, { inline: false, sequenceAtParent: true });
  }

  #properties(): YamlProperties | undefined {
    const cursor = this.#cursor;
    let anchor: string | undefined;
    let tag: string | undefined;
    for (;;) {
      const c = cursor.text[cursor.at];
      if (c === '&' && anchor === undefined) anchor = this.#name();
      else if (c === '!' && tag === undefined) tag = this.#tag();
      else break;
      if (!cursor.isBreakOrBlank() && !',[]{}'.includes(cursor.text[cursor.at] as string)) {
        cursor.fail('did not find expected whitespace or line break');
      }
      cursor.skipBlanks();
    }
    if (anchor === undefined && tag === undefined) return undefined;
    return { anchor, tag };
  }

  /** Parses the name after `&` or `*`. */
  #name(): string {
    const cursor = this.#cursor;
    const from = ++cursor.at;
    while (!cursor.isBreakOrBlank() && !',[]{}'.includes(cursor.text[cursor.at] as string)) cursor.at++;
    if (cursor.at === from) cursor.fail('did not find expected alphabetic or numeric character');
    return cursor.text.slice(from, cursor.at);
  }

  #tag(): string {
    const cursor = this.#cursor;
    const from = cursor.at++;
    const verbatim = cursor.text[cursor.at] === '<';
    while (!cursor.isBreakOrBlank() && (verbatim || !',[]{}'.includes(cursor.text[cursor.at] as string))) cursor.at++;
    const tag = cursor.text.slice(from, cursor.at);
    return verbatim ? tag.slice(2, -1).replace('tag:yaml.org,2002:', '!!') : tag;
  }

  /** Parses an alias, a quoted scalar, the first line of a plain scalar, or a flow collection. */
  #flowNode(options: { readonly inFlow: boolean; readonly minColumn: number }): YamlNode {
    const cursor = this.#cursor;
    const { at } = cursor;
    const c = cursor.text[at];
    if (c === '*') return { kind: 'alias', source: this.#name(), properties: undefined };
    if (c === '"' || c === "'") return scalarNode(readQuoted(cursor, options.minColumn), at, false);
    if (c === '[' || c === '{') return this.#flowCollection(options.minColumn);
    if (!options.inFlow && isKeyEnd(cursor, false)) return scalarNode('', at, true);
    if (!startsPlain(cursor, options.inFlow)) cursor.fail('found character that cannot start any token');
    return scalarNode(readPlainLine(cursor, options.inFlow), at, true);
  }

  #flowCollection(minColumn: number): YamlSequence | YamlMap {
    const cursor = this.#cursor;
    if (++this.#depth > cursor.maxDepth) {
      throw new BodyReadError('depth', `yaml: exceeded max depth of ${cursor.maxDepth}`);
    }
    const isMap = cursor.text[cursor.at] === '{';
    const close = isMap ? '}' : ']';
    const map: YamlMap = { kind: 'map', keys: [], values: [], properties: undefined };
    const sequence: YamlSequence = { kind: 'sequence', items: [], properties: undefined };
    cursor.at++;
    for (;;) {
      this.#skipInFlow(minColumn);
      if (cursor.text[cursor.at] === close) break;
      this.#flowEntry(isMap ? map : sequence, minColumn);
      this.#skipInFlow(minColumn);
      const c = cursor.text[cursor.at];
      if (c === close) break;
      if (c !== ',') cursor.fail(`did not find expected ',' or '${close}'`);
      cursor.at++;
    }
    cursor.at++;
    this.#depth--;
    return isMap ? map : sequence;
  }

  /** Parses one entry of a flow collection: a pair in a map, a node or a single pair in a sequence. */
  #flowEntry(into: YamlMap | YamlSequence, minColumn: number): void {
    const cursor = this.#cursor;
    const options = { inFlow: true, minColumn };
    if (cursor.text[cursor.at] === '?' && cursor.isBreakOrBlank(1)) {
      cursor.fail('explicit keys are not supported in YAML of this size; use JSON');
    }
    const { lineStart } = cursor;
    const node = this.#flowValue(options);
    const isJsonLike = !isPlain(node) && node.kind !== 'alias';
    const from = { at: cursor.at, lineStart: cursor.lineStart };
    this.#skipInFlow(minColumn);
    const isKey = isKeyEnd(cursor, true) || (isJsonLike && cursor.text[cursor.at] === ':');
    if (isKey && (into.kind === 'map' || cursor.lineStart === lineStart)) {
      cursor.at++;
      this.#skipInFlow(minColumn);
      const value = this.#isFlowEnd() ? scalarNode('', cursor.at, true) : this.#flowValue(options);
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

  #flowValue(options: { readonly inFlow: boolean; readonly minColumn: number }): YamlNode {
    const cursor = this.#cursor;
    const own = this.#properties();
    if (own !== undefined) this.#skipInFlow(options.minColumn);
    if (this.#isFlowEnd() || isKeyEnd(cursor, true)) return this.#mark(scalarNode('', cursor.at, true), own);
    const node = this.#mark(this.#flowNode(options), own);
    if (isPlain(node)) node.text = continuePlain(cursor, node.text, options);
    return node;
  }

  #isFlowEnd(): boolean {
    const c = this.#cursor.text[this.#cursor.at];
    return c === ',' || c === ']' || c === '}';
  }

  #skipInFlow(minColumn: number): void {
    const cursor = this.#cursor;
    const left = cursor.skipToContent();
    if (cursor.atEnd) cursor.fail('did not find expected node content');
    if (left && cursor.isDocumentMarker()) cursor.fail('found unexpected document indicator');
    if (left && cursor.column < minColumn && !this.#isFlowEnd()) cursor.fail('did not find expected node content');
  }

  #mark<T extends YamlNode>(node: T, own: YamlProperties | undefined): T {
    if (own === undefined) return node;
    if (node.kind === 'alias') this.#cursor.fail('an alias cannot have properties');
    else node.properties = own;
    return node;
  }
}

function isPlain(node: YamlNode): node is YamlScalar {
  return node.kind === 'scalar' && node.plain;
}
