import { checkQualifiedName, forbiddenField, invalidField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type { ObjectMeta } from '../generated/drafts.ts';
import { type Check, isEmpty } from './check.ts';
import { labels } from './rules.ts';

const maxBytes = 262_144;

/** Validates annotations: lower-cased keys must be qualified names, and the total size is limited. */
export const annotations: Check<Record<string, string>> = (map, path) => {
  const entries = Object.entries(map ?? {});
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) =>
      checkQualifiedName(key.toLowerCase()).map((detail) => invalidField(path, key, detail)),
    ),
    ...(size > maxBytes ? [tooLongField(path, { max: maxBytes })] : []),
  ];
};

/** Validates the metadata of a claim template. Only labels and annotations can be set, and other lists not even to be empty. */
export const templateMetadata: Check<ObjectMeta> = (metadata, path) => {
  const { labels: given, annotations: notes, ...others } = metadata ?? {};
  // Upstream derives these names from Go's field names.
  return [
    ...annotations(notes, path.child('annotations')),
    ...labels(given, path.child('labels')),
    ...Object.entries(others).flatMap(([name, value]) =>
      isEmpty(value) && !Array.isArray(value)
        ? []
        : [forbiddenField(path.child(name === 'uid' ? 'uID' : name), 'cannot be set')],
    ),
  ];
};
