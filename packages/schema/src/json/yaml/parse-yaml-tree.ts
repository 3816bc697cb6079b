import { readBlockScalar } from './block-scalar.ts';
import { FlowParser } from './flow-parser.ts';
import { readProperties, withProperties } from './node-properties.ts';
import { continuePlain, isKeyEnd } from './plain-scalar.ts';
import { dash, YamlCursor } from './yaml-cursor.ts';
import {
  isPlain,
  scalarNode,
  type YamlMap,
  type YamlNode,
  type YamlProperties,
  type YamlSequence,
} from './yaml-node.ts';

/** A parsed document. */
export interface YamlTree {
  readonly contents: YamlNode | null;
  /** Returns the line number of an offset, from 1. */
  lineOf(at: number): number;
}

/**
 * Parses the first document of a YAML stream in linear time, about 100 times as fast as the YAML library, which can
 * block a server for seconds. Accepts everything except explicit keys (`? `), and returns the same tree as the library.
 *
 * @throws {@link BodyReadError}
 */
export function parseYamlTree(text: string, maxDepth: number): YamlTree {
  const cursor = new YamlCursor(text, maxDepth);
  return { contents: new BlockParser(cursor).document(), lineOf: (at) => cursor.lineOf(at) };
}

/** Maximum length of an implicit key, as specified by YAML. */
const maxKeyLength = 1024;

class BlockParser {
  readonly #cursor: YamlCursor;
  readonly #flow: FlowParser;

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
    this.#flow = new FlowParser(cursor);
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
   * @param options.inline - true on the same line as a key, where a block collection cannot start
   * @param options.sequenceAtParent - true for a key's value, which may be a sequence that is not indented
   */
  #block(parent: number, options: { readonly inline: boolean; readonly sequenceAtParent: boolean }): YamlNode | null {
    const cursor = this.#cursor;
    let { inline } = options;
    cursor.enter();
    const start = { at: cursor.at, column: cursor.column };
    const own = readProperties(cursor);
    let node: YamlNode | null;
    if (own !== undefined && cursor.skipToContent()) {
      // An anchor or tag on a separate line belongs to the node below, which can be a block collection.
      inline = false;
      const least = options.sequenceAtParent && this.#isSequenceEntry() ? parent : parent + 1;
      if (cursor.atEnd || cursor.isDocumentMarker() || cursor.column < least) node = scalarNode('', start.at, true);
      else node = this.#block(parent, { inline, sequenceAtParent: options.sequenceAtParent });
      // The anchor and the tag can be on separate lines: `&a`, then `!!str`.
      if (node !== null)
        withProperties(cursor, node, {
          anchor: own.anchor ?? node.properties?.anchor,
          tag: own.tag ?? node.properties?.tag,
        });
    } else {
      node = this.#blockContent(parent, { own, inline, start });
    }
    cursor.leave();
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
      return withProperties(cursor, scalarNode(text, at, false), own);
    }
    const line = cursor.lineStart;
    const first = withProperties(cursor, this.#flow.node({ inFlow: false, minColumn: parent + 1 }), own);
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
    const own = readProperties(cursor);
    const key = withProperties(cursor, this.#flow.node({ inFlow: false, minColumn: 0 }), own);
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
}
