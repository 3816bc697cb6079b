import { createRequire } from 'node:module';
import type { Document, Node, Pair, YAMLParseError } from 'yaml';
import { decodeUtf8, parseJson } from './parse-json.ts';
import { type BodyLimits, BodyReadError, defaultMaxDepth, type ParsedBody, setOwn } from './parsed-body.ts';
import { parseYamlTree, type YamlTree } from './yaml/parse-yaml-tree.ts';
import { scalarNode, type YamlAlias, type YamlMap, type YamlNode, type YamlScalar } from './yaml/yaml-node.ts';
import { resolvePlainScalar } from './yaml-scalar.ts';

/**
 * Parses the first document of a YAML body as the API server does: supports YAML 1.1 booleans and numbers and merge
 * keys, converts keys to strings, reports duplicate keys with their line, and rejects alias bombs.
 *
 * Server-side apply requests usually contain JSON with a YAML content type, so JSON is detected and parsed by the fast JSON
 * parser.
 *
 * @throws {@link BodyReadError} with a message that starts with `yaml: `. Some messages use the YAML library's wording
 * instead of go-yaml's.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 *
 * const { value } = parseYaml(await readFile('deployment.yaml'));
 * ```
 */
export function parseYaml(bytes: Uint8Array, limits: BodyLimits = {}): ParsedBody {
  if (bytes[0] === 0x7b) {
    const json = tryJson(bytes, limits);
    if (json !== undefined) return json;
  }
  const text = decodeUtf8(bytes);
  if (hasControlCharacter(text)) throw new BodyReadError('syntax', 'yaml: control characters are not allowed');
  const maxDepth = limits.maxDepth ?? defaultMaxDepth;
  const tree = bytes.length > largeBytes ? parseYamlTree(text, maxDepth) : libraryTree(text, maxDepth);
  const reader = new YamlReader(tree, maxDepth);
  const value = tree.contents === null ? null : reader.read(tree.contents);
  return { value, duplicates: reader.duplicates, format: 'yaml' };
}

/**
 * Maximum size of bodies for the YAML library, which takes a few microseconds per byte. Larger bodies go to
 * {@link parseYamlTree}.
 */
const largeBytes = 8 * 1024;

/** Parses with the YAML library, which has better error messages. */
function libraryTree(text: string, maxDepth: number): YamlTree {
  const library = yamlLibrary();
  const lines = new library.LineCounter();
  let document: Document.Parsed;
  try {
    document = library.parseDocument(text, {
      schema: 'failsafe',
      version: '1.1',
      uniqueKeys: false,
      merge: false,
      logLevel: 'silent',
      lineCounter: lines,
    });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep(maxDepth, cause);
    throw cause;
  }
  const error = document.errors.find((e) => e.code !== 'MULTIPLE_DOCS');
  if (error !== undefined) throw syntaxError(error, maxDepth);
  const lineOf = (at: number): number => lines.linePos(at).line;
  return { contents: document.contents && ownNode(document.contents, { depth: 0, maxDepth }), lineOf };
}

function ownNode(
  node: Node | null,
  { depth, maxDepth }: { readonly depth: number; readonly maxDepth: number },
): YamlNode | null {
  const library = yamlLibrary();
  if (depth > maxDepth) throw tooDeep(maxDepth);
  const below = { depth: depth + 1, maxDepth };
  const own = (child: unknown): YamlNode | null => ownNode(child as Node | null, below);
  let made: YamlNode;
  if (library.isAlias(node)) return { kind: 'alias', source: node.source, properties: undefined };
  if (library.isScalar(node)) {
    const text = typeof node.value === 'string' ? node.value : '';
    made = scalarNode(text, node.range?.[0] ?? 0, node.type === 'PLAIN');
  } else if (library.isSeq(node)) {
    made = { kind: 'sequence', items: node.items.map(own), properties: undefined };
  } else if (library.isMap(node)) {
    const pairs = node.items as Pair[];
    const keys = pairs.map(({ key }) => own(key));
    made = { kind: 'map', keys, values: pairs.map(({ value }) => own(value)), properties: undefined };
  } else {
    return null;
  }
  const tag = node.tag?.replace('tag:yaml.org,2002:', '!!');
  if (node.anchor !== undefined || tag !== undefined) made.properties = { anchor: node.anchor, tag };
  return made;
}

function tryJson(bytes: Uint8Array, limits: BodyLimits): ParsedBody | undefined {
  try {
    const json = parseJson(bytes, limits);
    // Leaves duplicates to the YAML parser, whose messages differ. Drops number tokens: YAML converts `1.0` to 1.
    return json.duplicates.length === 0 ? { value: json.value, duplicates: [], format: 'yaml' } : undefined;
  } catch (error) {
    // Text that is not JSON may be flow YAML, such as {a: b}.
    if (error instanceof BodyReadError && error.problem === 'syntax') return undefined;
    throw error;
  }
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 ? c !== 0x09 && c !== 0x0a && c !== 0x0d : c === 0x7f || (c >= 0x80 && c < 0xa0 && c !== 0x85)) {
      return true;
    }
  }
  return false;
}

function tooDeep(maxDepth: number, cause?: unknown): BodyReadError {
  return new BodyReadError('depth', `yaml: exceeded max depth of ${maxDepth}`, { cause });
}

function syntaxError(error: YAMLParseError, maxDepth: number): BodyReadError {
  // The library reports excessive nesting as a parse error.
  if (/call stack/i.test(error.message)) return tooDeep(maxDepth, error);
  const line = error.linePos?.[0].line ?? 1;
  const text =
    error.code === 'TAB_AS_INDENT'
      ? 'found character that cannot start any token'
      : error.code === 'BLOCK_AS_IMPLICIT_KEY' || error.message.startsWith('Nested mappings are not allowed')
        ? 'mapping values are not allowed in this context'
        : (error.message.split(' at line ')[0] as string);
  return new BodyReadError('syntax', `yaml: line ${line}: ${text}`, { cause: error });
}

const maxReported = 100;
/**
 * Maximum number of characters that aliases may repeat. Even a few aliases can be a bomb if the repeated text is long.
 */
const maxAliasedText = 3 * 1024 * 1024;

class YamlReader {
  readonly duplicates: string[] = [];
  private readonly tree: YamlTree;
  private readonly maxDepth: number;
  private readonly anchors = new Map<string, YamlNode>();
  private readonly open = new Set<YamlNode>();
  private depth = 0;
  private decoded = 0;
  private aliased = 0;
  private aliasedText = 0;
  private aliasDepth = 0;

  constructor(tree: YamlTree, maxDepth: number) {
    this.tree = tree;
    this.maxDepth = maxDepth;
  }

  read(node: YamlNode): unknown {
    this.decoded++;
    if (this.aliasDepth > 0) this.aliased++;
    if (this.aliased > 100 && this.decoded > 1000 && this.aliased / this.decoded > allowedAliasRatio(this.decoded)) {
      throw excessiveAliasing();
    }
    if (++this.depth > this.maxDepth) throw tooDeep(this.maxDepth);
    const anchor = node.properties?.anchor;
    if (anchor !== undefined) this.anchors.set(anchor, node);
    const value = this.content(node);
    this.depth--;
    return value;
  }

  private content(node: YamlNode): unknown {
    switch (node.kind) {
      case 'scalar':
        return this.scalar(node);
      case 'alias':
        return this.alias(node);
      case 'sequence':
        return node.items.map((item) => (item === null ? null : this.read(item)));
      case 'map':
        return this.map(node);
    }
  }

  private scalar(node: YamlScalar): unknown {
    if (this.aliasDepth > 0) {
      this.aliasedText += node.text.length;
      if (this.aliasedText > maxAliasedText) throw excessiveAliasing();
    }
    return scalarValue(node);
  }

  private alias(node: YamlAlias): unknown {
    const target = this.anchors.get(node.source);
    if (target === undefined) throw new BodyReadError('syntax', `yaml: unknown anchor '${node.source}' referenced`);
    if (this.open.has(target)) {
      throw new BodyReadError('syntax', `yaml: anchor '${node.source}' value contains itself`);
    }
    this.open.add(target);
    this.aliasDepth++;
    const value = this.read(target);
    this.aliasDepth--;
    this.open.delete(target);
    return value;
  }

  private map(node: YamlMap): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const written = new Set<string>();
    this.open.add(node);
    for (let i = 0; i < node.keys.length; i++) {
      const keyNode = node.keys[i] ?? null;
      const valueNode = node.values[i] ?? null;
      if (keyNode?.kind === 'scalar' && keyNode.plain && keyNode.text === '<<') {
        this.merge(valueNode, { into: result, written });
        continue;
      }
      const key = this.key(keyNode);
      if (written.has(key) && this.aliasDepth === 0 && this.duplicates.length < maxReported) {
        const line = this.tree.lineOf(keyNode?.kind === 'scalar' ? keyNode.at : 0);
        this.duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
      }
      written.add(key);
      setOwn(result, key, valueNode === null ? null : this.read(valueNode));
    }
    this.open.delete(node);
    return result;
  }

  private key(node: YamlNode | null): string {
    const value = node === null ? null : this.read(node);
    if (typeof value === 'object') {
      if (value === null) throw new BodyReadError('syntax', 'unsupported map key of type: %!s(<nil>), key: <nil>');
      throw new BodyReadError('syntax', 'yaml: invalid map key');
    }
    return String(value);
  }

  /**
   * Merges the value of a merge key (`<<`) into a map. Never overwrites the map's own keys, whether they precede or follow
   * the merge key.
   */
  private merge(
    source: YamlNode | null,
    { into, written }: { readonly into: Record<string, unknown>; readonly written: ReadonlySet<string> },
  ): void {
    const value = source === null ? null : this.read(source);
    const sources = Array.isArray(value) ? value : [value];
    for (const item of sources as unknown[]) {
      if (typeof item !== 'object' || item === null || Array.isArray(item)) {
        throw new BodyReadError('syntax', 'yaml: map merge requires map or sequence of maps as the value');
      }
      for (const [key, merged] of Object.entries(item)) {
        if (!written.has(key) && !Object.hasOwn(into, key)) setOwn(into, key, merged);
      }
    }
  }
}

function excessiveAliasing(): BodyReadError {
  return new BodyReadError('syntax', 'yaml: document contains excessive aliasing');
}

function scalarValue({ text, plain, properties }: YamlScalar): unknown {
  const tag = properties?.tag;
  if (tag === '!!binary') return decodeBinary(text);
  if (tag === undefined) return plain ? resolvePlainScalar(text) : text;
  return /^!!(bool|int|float|null)$/.test(tag) ? resolvePlainScalar(text) : text;
}

function decodeBinary(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text.replace(/\s+/g, '')), (c) => c.charCodeAt(0)));
  } catch (cause) {
    throw new BodyReadError('syntax', 'yaml: !!binary value contains invalid base64 data', { cause });
  }
}

/**
 * Returns the maximum share of nodes that may come from aliases, as in go-yaml: 99 % up to 400,000 nodes, falling linearly
 * to 10 % at 4,000,000.
 */
function allowedAliasRatio(decoded: number): number {
  if (decoded <= 400_000) return 0.99;
  if (decoded >= 4_000_000) return 0.1;
  return 0.99 - 0.89 * ((decoded - 400_000) / 3_600_000);
}

type Yaml = typeof import('yaml');

/** Loads the YAML library on demand: a cluster that only receives JSON never needs its 70 modules. */
function yamlLibrary(): Yaml {
  return createRequire(import.meta.url)('yaml') as Yaml;
}
