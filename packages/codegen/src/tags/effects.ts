import type { JsonSchema } from '@kubewright/schema';
import type { Draft } from '../types/draft.ts';
import { type Read, readNames, readNumber } from './read-argument.ts';
import type { TagEffect, TagUse } from './tag.ts';

/** Sets fixed fields of the schema. */
export function set(fields: JsonSchema): TagEffect {
  return (draft) => void Object.assign(draft, fields);
}

/** Sets one field of the schema to the value of the argument. */
export function keyword(key: string, read: (use: TagUse) => Read<unknown>): TagEffect {
  return (draft, use) => {
    const found = read(use);
    if ('wrong' in found) use.wrong(found.wrong);
    else Object.assign(draft, { [key]: found.value });
  };
}

/** Reads any number. */
export function number({ text }: TagUse): Read<number> {
  return readNumber(text, 'number');
}

/** Reads a nonnegative integer. */
export function count({ text }: TagUse): Read<number> {
  return readNumber(text, 'count');
}

/** Reads text and joins its lines. */
export function text(use: TagUse): Read<string> {
  return use.text === '' ? { wrong: 'the argument is missing' } : { value: use.text.replace(/\n\s*/g, ' ') };
}

/** Reads one of the given words. */
export function oneOf(...allowed: readonly string[]): (use: TagUse) => Read<string> {
  return (use) => {
    const value = use.text.replace(/^=/, '');
    return allowed.includes(value)
      ? { value }
      : { wrong: `the argument must be one of ${allowed.join(', ')}, got ${JSON.stringify(use.text)}` };
  };
}

/** Reads a URL and a description. */
export function link(use: TagUse): Read<unknown> {
  const [url = '', ...words] = use.text.split(/\s+/);
  if (!URL.canParse(url)) return { wrong: `${JSON.stringify(url)} is not a valid URL` };
  return { value: words.length === 0 ? { url } : { url, description: words.join(' ') } };
}

/** Marks a limit as exclusive. If the tag has an argument, also sets the limit. */
export function exclusive(limit: 'minimum' | 'maximum'): TagEffect {
  return (draft, use) => {
    draft[limit === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'] = true;
    if (use.text !== '' && use.text !== 'true') keyword(limit, number)(draft, use);
  };
}

/** Adds to the keys of a list of type `map`. The tag can be used once per key. */
export function addMapKeys(draft: Draft, use: TagUse): void {
  const key = 'x-kubernetes-list-map-keys';
  const before = draft[key] ?? [];
  const read = readNames(use.text);
  keyword(key, () => ('wrong' in read ? read : { value: [...before, ...read.value] }))(draft, use);
}

/** Removes everything from the schema except the description. */
export function removeSchema(draft: Draft): void {
  for (const key of Object.keys(draft)) if (key !== 'description') Reflect.deleteProperty(draft, key);
}
