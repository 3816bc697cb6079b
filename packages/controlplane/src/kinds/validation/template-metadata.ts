import { forbiddenField } from '@kubewright/apimachinery';
import { validateAnnotations } from '@kubewright/apimachinery/internal';
import type { ObjectMeta } from '../generated/drafts.ts';
import { type Check, isEmpty } from './check.ts';
import { labels } from './rules.ts';

/** Validates annotations: keys and total size. */
export const annotations: Check<Record<string, string>> = (map, path) => validateAnnotations(map ?? {}, path);

/**
 * Validates the metadata of a claim template. Only labels and annotations can be set. All other fields must be absent: upstream
 * rejects even an empty list, and 0 where Go has a pointer.
 */
export const templateMetadata: Check<ObjectMeta> = (metadata, path) => {
  const { labels: given, annotations: notes, ...others } = metadata ?? {};
  // Upstream derives these names from Go's field names.
  return [
    ...annotations(notes, path.child('annotations')),
    ...labels(given, path.child('labels')),
    ...Object.entries(others).flatMap(([name, value]) =>
      isEmpty(value) && !Array.isArray(value) && name !== 'deletionGracePeriodSeconds'
        ? []
        : [forbiddenField(path.child(name === 'uid' ? 'uID' : name), 'cannot be set')],
    ),
  ];
};
