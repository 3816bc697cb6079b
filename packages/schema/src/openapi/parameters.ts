import type { JsonObject } from './json-object.ts';

type ParameterType = 'string' | 'integer' | 'boolean';

/** Query parameters of the API: type and description, in our own words. */
const QUERY: Readonly<Record<string, readonly [ParameterType, string]>> = {
  allowWatchBookmarks: ['boolean', 'Asks for BOOKMARK events on a watch.'],
  continue: ['string', 'Continues a list where an earlier page ended.'],
  dryRun: ['string', 'With "All", everything is done but nothing is stored.'],
  fieldManager: ['string', 'Name of who makes the change; required for apply. At most 128 printable characters.'],
  fieldSelector: ['string', 'Selects objects by their fields.'],
  fieldValidation: ['string', 'What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict.'],
  force: ['boolean', 'On apply, takes over fields that others own.'],
  gracePeriodSeconds: ['integer', 'How long the object may take to end; 0 deletes at once.'],
  labelSelector: ['string', 'Selects objects by their labels.'],
  limit: ['integer', 'At most so many objects in one answer.'],
  orphanDependents: ['boolean', 'Deprecated; use propagationPolicy.'],
  pretty: ['string', 'With "true", the answer is indented.'],
  propagationPolicy: ['string', 'What happens to dependents: Orphan, Background or Foreground.'],
  resourceVersion: ['string', 'Version of the collection to read at or to watch from.'],
  resourceVersionMatch: ['string', 'How resourceVersion is meant: Exact or NotOlderThan.'],
  sendInitialEvents: ['boolean', 'Starts a watch with the state, then a marked BOOKMARK.'],
  timeoutSeconds: ['integer', 'Ends a list or watch after so many seconds.'],
  watch: ['boolean', 'Watches for changes instead of listing.'],
};

export const LIST_PARAMETERS: readonly string[] = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
export const WRITE_PARAMETERS: readonly string[] = ['dryRun', 'fieldManager', 'fieldValidation'];
export const PATCH_PARAMETERS: readonly string[] = [...WRITE_PARAMETERS, 'force'];
export const DELETE_PARAMETERS: readonly string[] = [
  'dryRun',
  'gracePeriodSeconds',
  'orphanDependents',
  'propagationPolicy',
];
export const DELETE_COLLECTION_PARAMETERS: readonly string[] = [
  'continue',
  'dryRun',
  'fieldSelector',
  'gracePeriodSeconds',
  'labelSelector',
  'limit',
  'orphanDependents',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
];

/** Returns query parameters by name. */
export function queryParameters(names: readonly string[]): readonly JsonObject[] {
  return names.map((name) => {
    const [type, description] = QUERY[name] ?? ['string', ''];
    return { name, in: 'query', description, schema: { type, uniqueItems: true } };
  });
}

/** Returns a path parameter. */
export function pathParameter(name: 'name' | 'namespace', kind: string): JsonObject {
  const description = name === 'name' ? `name of the ${kind}` : 'namespace of the object';
  return { name, in: 'path', description, required: true, schema: { type: 'string', uniqueItems: true } };
}
