import { nearestName } from '@kubewright/apimachinery';
import { type TagSubject, tags } from './tag-table.ts';

/** Advice for tags that TypeScript syntax replaces, and for names from other tools. */
const SAID_OTHERWISE: Readonly<Record<string, string>> = {
  optional: 'write a question mark: `name?: …`',
  required: 'leave the question mark out: `name: …`',
  uniqueitems: 'write @listType set: the API server refuses uniqueItems for its cost',
  validation: 'write @rule with the CEL expression',
  xvalidation: 'write @rule with the CEL expression, then @message',
  cel: 'write @rule with the CEL expression',
  min: 'write @minimum, @minLength, @minItems or @minProperties',
  max: 'write @maximum, @maxLength, @maxItems or @maxProperties',
  len: 'write @minLength and @maxLength',
  regex: 'write @pattern',
  regexp: 'write @pattern',
  number: 'write @float, or @int32 or @int64 for whole numbers',
  int: 'write @int32 or @int64',
  param: 'leave it out: this is no function',
  returns: 'leave it out: this is no function',
  printcolumn: 'write `columns` in defineKind',
  printercolumn: 'write `columns` in defineKind',
  resource: 'write `plural`, `scope`, `shortNames`, `categories` in defineKind',
  scope: 'write `scope` in defineKind',
  shortname: 'write `shortNames` in defineKind',
  storageversion: 'write `storage` in defineKind',
  subresource: 'give defineKind a status type; write `scale` there for scale',
  status: 'give defineKind a status type',
  scale: 'write `scale` in defineKind',
  selectablefield: 'write `selectableFields` in defineKind',
  deprecatedversion: 'write `deprecated` or `deprecationWarning` in defineKind',
  unservedversion: 'write `served: false` in defineKind',
  skipversion: 'do not call defineKind for that version',
  metadata: 'write `labels` and `annotations` in defineKind',
  oneof: 'write @exactlyOneOf with the names of the fields',
};

/** Returns what to write instead of an unknown tag. */
export function nearestTag(name: string): string {
  const plain = name
    .replace(/^\+/, '')
    .replace(/^(?:kubebuilder|k8s|kubernetes)(?=[:.])/i, '')
    .replace(/^(?:[:.]?validation)(?=[:.])/i, '');
  const word = (
    plain
      .split(/[:.=/]/)
      .filter((part) => part !== '')
      .at(0) ?? name
  ).toLowerCase();
  const exact = tags.find((tag) => tag.name.toLowerCase() === word);
  if (exact !== undefined) return `write @${exact.name}`;
  if (Object.hasOwn(SAID_OTHERWISE, word)) return SAID_OTHERWISE[word] as string; // checked just above
  const marker = tags.find((tag) => tag.markers.some((each) => each.toLowerCase().split(':').at(-1) === word));
  if (marker !== undefined) return `write @${marker.name}`;
  const near = nearestName(
    word,
    tags.map((tag) => tag.name),
  );
  if (near !== undefined) return `write @${near}`;
  return 'take it away, or put it into backticks if it is part of the text';
}

const SAME_FOR: readonly Readonly<Partial<Record<TagSubject, string>>>[] = [
  { number: 'minimum', integer: 'minimum', string: 'minLength', array: 'minItems', object: 'minProperties' },
  { number: 'maximum', integer: 'maximum', string: 'maxLength', array: 'maxItems', object: 'maxProperties' },
  { array: 'listType', object: 'mapType' },
  { string: 'dateTime', number: 'int64' },
];

/** Returns what to write instead of a tag that has no effect on this type of value. */
export function rightTagFor(name: string, subject: TagSubject): string {
  const family = SAME_FOR.find((each) => Object.values(each).includes(name));
  const right = family?.[subject];
  if (right !== undefined && right !== name) return `write @${right}`;
  if (subject === 'array') return `write @items.${name} if it is meant for the elements`;
  if (subject === 'object')
    return `write @values.${name} if it is meant for a map's values, or put it on the field that it is about`;
  return 'take it away, or change the type';
}
