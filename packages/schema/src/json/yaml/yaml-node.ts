/**
 * A node of a YAML document, as little as the reader of bodies needs. The YAML library's own nodes take ten times as long
 * to make.
 */
export type YamlNode = YamlScalar | YamlAlias | YamlSequence | YamlMap;

/** The anchor and tag in front of a node. */
export interface YamlProperties {
  readonly anchor: string | undefined;
  /** Tags of the `yaml.org,2002` namespace begin with `!!`. */
  readonly tag: string | undefined;
}

export interface YamlScalar {
  readonly kind: 'scalar';
  text: string;
  /** True without quotes: only then it may be a number, a boolean or null. */
  readonly plain: boolean;
  /** Where it begins. */
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
