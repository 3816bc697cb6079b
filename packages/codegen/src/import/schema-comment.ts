import type { JsonSchema } from '@kubewright/schema';
import { parseDocs } from '../compiler/parse-docs.ts';
import { quantityPattern } from '../types/known-schemas.ts';

/** A schema as a documentation comment, and the keywords that need the `schema` option of `defineKind` instead. */
export interface SchemaComment {
  /** The lines of the comment, without delimiters. Empty if no comment is needed. */
  readonly lines: readonly string[];
  readonly rest: Readonly<Record<string, unknown>>;
}

const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;

/** Expresses everything in a schema except its type as a description and tags. */
export function schemaComment(schema: JsonSchema): SchemaComment {
  const tags: string[] = [];
  const rest: Record<string, unknown> = {};
  const say = (key: keyof JsonSchema, tag: string): void => {
    if (isReadable(tag)) tags.push(tag);
    else rest[key] = schema[key];
  };
  sayType(schema, say);
  for (const key of [...counts, 'minimum', 'maximum', 'multipleOf'] as const) {
    if (schema[key] !== undefined) say(key, `@${key} ${schema[key]}`);
  }
  for (const key of ['exclusiveMinimum', 'exclusiveMaximum'] as const) if (schema[key] === true) say(key, `@${key}`);
  if (schema.pattern !== undefined && schema.pattern !== quantityPattern) {
    say('pattern', `@pattern ${schema.pattern}`);
  }
  if (schema.enum !== undefined && !isWritableEnum(schema.enum.filter((each) => each !== null)))
    rest['enum'] = schema.enum;
  // For enums, the type only shows nullable if null is among the values.
  if (schema.nullable === true && schema.enum && !schema.enum.includes(null)) say('nullable', '@nullable');
  if (schema.title !== undefined) say('title', `@title ${schema.title}`);
  for (const key of ['default', 'example'] as const) {
    if (schema[key] !== undefined) say(key, `@${key} ${JSON.stringify(schema[key])}`);
  }
  if (schema['x-kubernetes-list-type']) say('x-kubernetes-list-type', `@listType ${schema['x-kubernetes-list-type']}`);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys !== undefined) say('x-kubernetes-list-map-keys', `@listMapKey ${keys.join(' ')}`);
  if (schema['x-kubernetes-map-type']) say('x-kubernetes-map-type', `@mapType ${schema['x-kubernetes-map-type']}`);
  sayRules(schema, tags, rest);
  for (const key of ['allOf', 'oneOf', 'not'] as const) if (schema[key] !== undefined) rest[key] = schema[key];
  if (schema.anyOf !== undefined && schema['x-kubernetes-int-or-string'] !== true) rest['anyOf'] = schema.anyOf;
  return { lines: [...descriptionLines(schema), ...tags.flatMap((tag) => tag.split('\n'))], rest };
}

function sayType(schema: JsonSchema, say: (key: keyof JsonSchema, tag: string) => void): void {
  const { type, format } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (schema.pattern === quantityPattern) say('type', '@quantity');
    return;
  }
  if (type === 'integer') say('type', format === 'int32' || format === 'int64' ? `@${format}` : '@integer');
  if (type === 'number') say('type', format === 'double' ? '@double' : '@float');
  const isSaid =
    (type === 'integer' && /^int(?:32|64)$/.test(format ?? '')) || (type === 'number' && format === 'double');
  if (format !== undefined && !isSaid) say('format', format === 'date-time' ? '@dateTime' : `@format ${format}`);
  const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const isPlain = schema.properties === undefined && schema.additionalProperties === undefined;
  if (embedded && !(keeps && isPlain)) say('type', '@embeddedResource');
  if (keeps && type === 'object' && isPlain && !embedded) say('type', '@type object');
  if (keeps && !isPlain) say('type', '@preserveUnknownFields');
}

/** Adds the rules of a value: all as tags or all in `rest`, to preserve their order. */
function sayRules(schema: JsonSchema, tags: string[], rest: Record<string, unknown>): void {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const written = rules.flatMap(({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }) => [
    `@rule ${rule.trim()}`,
    ...(message === undefined ? [] : [`@message ${message}`]),
    ...(messageExpression === undefined ? [] : [`@messageExpression ${messageExpression}`]),
    ...(reason === undefined ? [] : [`@reason ${reason}`]),
    ...(fieldPath === undefined ? [] : [`@fieldPath ${fieldPath}`]),
    ...(optionalOldSelf === undefined ? [] : [`@optionalOldSelf ${optionalOldSelf}`]),
  ]);
  if (written.every(isReadable)) tags.push(...written);
  else rest['x-kubernetes-validations'] = rules;
}

/** True if the values can form a union type: all are strings, or all are numbers. */
export function isWritableEnum(values: readonly unknown[]): boolean {
  return values.length > 0 && ['string', 'number'].some((type) => values.every((each) => typeof each === type));
}

/**
 * True if parsing the tag in a comment yields the same tag. For example, `*` `/` in the tag would end the comment, and an
 * `@` would start another tag.
 */
function isReadable(tag: string): boolean {
  if (/\*\/|[\r\n]/.test(tag)) return false;
  const { description, tags } = parseDocs(`/** ${tag} */`, 0);
  const [first] = tags;
  return description === '' && tags.length === 1 && `@${first?.name} ${first?.text}`.trim() === tag;
}

/**
 * True if two comments parse to the same result. The results can differ: on one line, a quotation mark in a tag can
 * hide the next tag.
 */
export function isReadAlike(a: string, b: string): boolean {
  const read = (comment: string): unknown => {
    const { tags, description } = parseDocs(comment, 0);
    return [description, ...tags.map(({ name, text }) => [name, text])];
  };
  return JSON.stringify(read(a)) === JSON.stringify(read(b));
}

/** Returns the lines of a description, escaped so that they neither contain tags nor end the comment. */
function descriptionLines({ description }: JsonSchema): readonly string[] {
  if (description === undefined) return [];
  return description
    .replaceAll('*/', '* /')
    .split(/\r\n|[\r\n]/)
    .map(withoutTags);
}

function withoutTags(line: string): string {
  const quoted = line.replace(/^(\s*)(\+[\w:.-]+)/, '$1`$2`').replace(/(^|\s)(@[A-Za-z][\w.]*)/g, '$1`$2`');
  // If the line already contains backticks, additional backticks would quote the wrong part.
  const isSafe = !line.includes('`') && parseDocs(`/** ${quoted} */`, 0).tags.length === 0;
  return isSafe ? quoted : line.replace(/^(\s*)\+/, '$1\\+').replace(/(^|\s)@(?=[A-Za-z])/g, '$1\\@');
}
