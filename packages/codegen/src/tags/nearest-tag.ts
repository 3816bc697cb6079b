import { nearestName } from '@kubewright/apimachinery/internal';
import type { ValueType } from '../types/draft.ts';
import type { TagDefinition } from './tag.ts';
import { tags } from './tag-table.ts';

/** Advice for tags that TypeScript syntax replaces, and for names that other tools use. */
const replacements: Readonly<Record<string, string>> = {
  optional: 'make the field optional with a question mark: `name?: …`',
  required: 'make the field required by removing the question mark: `name: …`',
  uniqueitems: 'use @listType set: the API server rejects uniqueItems because of its cost',
  validation: 'use @rule with the CEL expression',
  xvalidation: 'use @rule with the CEL expression, then @message',
  cel: 'use @rule with the CEL expression',
  min: 'use @minimum, @minLength, @minItems or @minProperties',
  max: 'use @maximum, @maxLength, @maxItems or @maxProperties',
  len: 'use @minLength and @maxLength',
  regex: 'use @pattern',
  regexp: 'use @pattern',
  number: 'use @float, or @int32 or @int64 for whole numbers',
  int: 'use @int32 or @int64',
  param: 'remove the tag: it applies only to functions',
  returns: 'remove the tag: it applies only to functions',
  printcolumn: 'set `columns` in defineKind',
  printercolumn: 'set `columns` in defineKind',
  resource: 'set `plural`, `scope`, `shortNames` or `categories` in defineKind',
  scope: 'set `scope` in defineKind',
  shortname: 'set `shortNames` in defineKind',
  storageversion: 'set `storage` in defineKind',
  subresource: 'pass a status type to defineKind; for scale, set `scale`',
  status: 'pass a status type to defineKind',
  scale: 'set `scale` in defineKind',
  selectablefield: 'set `selectableFields` in defineKind',
  deprecatedversion: 'set `deprecated` or `deprecationWarning` in defineKind',
  unservedversion: 'set `served: false` in defineKind',
  skipversion: 'do not call defineKind for that version',
  metadata: 'set `labels` or `annotations` in defineKind',
  oneof: 'use @exactlyOneOf with the names of the fields',
};

/** Suggests a replacement for an unknown tag. */
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
  if (exact !== undefined) return `use @${exact.name}`;
  if (Object.hasOwn(replacements, word)) return replacements[word] as string; // checked just above
  const marker = tags.find((tag) => tag.markers.some((each) => each.toLowerCase().split(':').at(-1) === word));
  if (marker !== undefined) return `use @${marker.name}`;
  const near = nearestName(
    word,
    tags.map((tag) => tag.name),
  );
  if (near !== undefined) return `use @${near}`;
  return 'remove the tag, or put it in backticks if it is part of the text';
}

/** Suggests a replacement for a tag that has no effect on this type of value. */
export function rightTagFor({ name, family }: TagDefinition, valueType: ValueType): string {
  const right = family && tags.find((tag) => tag.family === family && tag.on?.includes(valueType));
  if (right !== undefined) return `use @${right.name}`;
  if (valueType === 'array') return `use @items.${name} to apply it to the elements`;
  if (valueType === 'object')
    return `use @values.${name} to apply it to the values of a map, or move the tag to the field that it describes`;
  return 'remove the tag, or change the type';
}
