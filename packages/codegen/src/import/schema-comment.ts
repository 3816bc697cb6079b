import type { JsonSchema } from '@kubewright/schema';
import { parseDocs } from '../compiler/parse-docs.ts';
import { QUANTITY_PATTERN } from '../types/known-schemas.ts';

/** What a comment says of a schema, and what only `schema` of `defineKind` can say. */
export interface SchemaComment {
  /** Without marks; empty when there is nothing to say. */
  readonly lines: readonly string[];
  readonly rest: Readonly<Record<string, unknown>>;
}

const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;

/** Writes what a schema says besides its type as a description and tags. */
export function schemaComment(schema: JsonSchema): SchemaComment {
  const tags: string[] = [];
  const rest: Record<string, unknown> = {};
  const say = (key: keyof JsonSchema, tag: string): void => {
    if (isReadable(tag)) tags.push(tag);
    else rest[key] = schema[key];
  };
  sayType(schema, say);
  for (const key of [...COUNTS, 'minimum', 'maximum', 'multipleOf'] as const) {
    if (schema[key] !== undefined) say(key, `@${key} ${schema[key]}`);
  }
  for (const key of ['exclusiveMinimum', 'exclusiveMaximum'] as const) if (schema[key] === true) say(key, `@${key}`);
  if (schema.pattern !== undefined && schema.pattern !== QUANTITY_PATTERN) {
    say('pattern', `@pattern ${schema.pattern}`);
  }
  if (schema.enum !== undefined && !isWritableEnum(schema.enum.filter((each) => each !== null)))
    rest['enum'] = schema.enum;
  // Of values without null among them the type would say that it is one.
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
    if (schema.pattern === QUANTITY_PATTERN) say('type', '@quantity');
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

/** All rules of a value go one way, or their order would be another. */
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

/** True if the values make a type: strings only, or numbers only. */
export function isWritableEnum(values: readonly unknown[]): boolean {
  return values.length > 0 && ['string', 'number'].some((type) => values.every((each) => typeof each === type));
}

/** True if the reader of comments finds exactly this tag: a comment ends at its mark, a tag at the next one. */
function isReadable(tag: string): boolean {
  if (/\*\/|[\r\n]/.test(tag)) return false;
  const { description, tags } = parseDocs(`/** ${tag} */`, 0);
  const [first] = tags;
  return description === '' && tags.length === 1 && `@${first?.name} ${first?.text}`.trim() === tag;
}

/** True if two comments say the same: in one line, a quote of one tag may hide the next. */
export function isReadAlike(a: string, b: string): boolean {
  const read = (comment: string): unknown => {
    const { tags, description } = parseDocs(comment, 0);
    return [description, ...tags.map(({ name, text }) => [name, text])];
  };
  return JSON.stringify(read(a)) === JSON.stringify(read(b));
}

/** The lines of a description, in which nothing is read as a tag or ends the comment. */
function descriptionLines({ description }: JsonSchema): readonly string[] {
  if (description === undefined) return [];
  return description
    .replaceAll('*/', '* /')
    .split(/\r\n|[\r\n]/)
    .map(withoutTags);
}

function withoutTags(line: string): string {
  const quoted = line.replace(/^(\s*)(\+[\w:.-]+)/, '$1`$2`').replace(/(^|\s)(@[A-Za-z][\w.]*)/g, '$1`$2`');
  // Between backticks of the line's own, ours would quote the wrong part.
  const isSafe = !line.includes('`') && parseDocs(`/** ${quoted} */`, 0).tags.length === 0;
  return isSafe ? quoted : line.replace(/^(\s*)\+/, '$1\\+').replace(/(^|\s)@(?=[A-Za-z])/g, '$1\\@');
}
