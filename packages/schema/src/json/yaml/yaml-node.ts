/**
 * A node of a YAML document. Contains only the fields that `parseYaml` needs, because the YAML library's nodes take ten
 * times as long to create.
 */
export type YamlNode = YamlScalar | YamlAlias | YamlSequence | YamlMap;

/** A node's anchor and tag. */
export interface YamlProperties {
  readonly anchor: string | undefined;
  /** Tags of the `yaml.org,2002` namespace start with `!!`. */
  readonly tag: string | undefined;
}

export interface YamlScalar {
  readonly kind: 'scalar';
  text: string;
  /** True if the scalar is not quoted. A plain scalar can be a number, a boolean or null. */
  readonly plain: boolean;
  /** Offset of its start. */
  readonly at: number;
  properties: YamlProperties | undefined;
}

export interface YamlAlias {
  readonly kind: 'alias';
  readonly source: string;
  properties: undefined;
}

export interface YamlSequence {
  readonly kind: 'sequence';
  readonly items: (YamlNode | null)[];
  properties: YamlProperties | undefined;
}

export interface YamlMap {
  readonly kind: 'map';
  readonly keys: (YamlNode | null)[];
  /** One for each key. */
  readonly values: (YamlNode | null)[];
  properties: YamlProperties | undefined;
}

/** Creates a scalar. */
export function scalarNode(text: string, at: number, plain: boolean): YamlScalar {
  return { kind: 'scalar', text, plain, at, properties: undefined };
}

/** True for a scalar without quotes. */
export function isPlain(node: YamlNode): node is YamlScalar {
  return node.kind === 'scalar' && node.plain;
}
