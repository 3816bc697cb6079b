import type { JsonObject } from '@kubewright/apimachinery/internal';

type ParameterType = 'string' | 'integer' | 'boolean';

/** Query parameters of the API by name: type, and a shortened form of upstream's description. */
const query: Readonly<Record<string, readonly [ParameterType, string]>> = {
  allowWatchBookmarks: ['boolean', 'allowWatchBookmarks requests watch events with type "BOOKMARK".'],
  continue: ['string', 'The continue option should be set when retrieving more results from the server.'],
  dryRun: [
    'string',
    'When present, indicates that modifications should not be persisted. Valid values are: - All: all dry run stages will be processed',
  ],
  fieldManager: [
    'string',
    'fieldManager is a name associated with the actor or entity that is making these changes. This field is required for apply requests.',
  ],
  fieldSelector: [
    'string',
    'A selector to restrict the list of returned objects by their fields. Defaults to everything.',
  ],
  fieldValidation: [
    'string',
    'fieldValidation instructs the server on how to handle objects in the request (POST/PUT/PATCH) containing unknown or duplicate fields. Valid values are: Ignore, Warn (the default) and Strict.',
  ],
  force: [
    'boolean',
    'Force is going to "force" Apply requests. It means user will re-acquire conflicting fields owned by other people.',
  ],
  gracePeriodSeconds: [
    'integer',
    'The duration in seconds before the object should be deleted. The value zero indicates delete immediately.',
  ],
  labelSelector: [
    'string',
    'A selector to restrict the list of returned objects by their labels. Defaults to everything.',
  ],
  limit: ['integer', 'limit is a maximum number of responses to return for a list call.'],
  orphanDependents: [
    'boolean',
    'Deprecated: please use the PropagationPolicy. Should the dependent objects be orphaned.',
  ],
  pretty: ['string', "If 'true', then the output is pretty printed."],
  propagationPolicy: [
    'string',
    "Whether and how garbage collection will be performed. Acceptable values are: 'Orphan', 'Background' and 'Foreground'.",
  ],
  resourceVersion: [
    'string',
    'resourceVersion sets a constraint on what resource versions a request may be served from.',
  ],
  resourceVersionMatch: ['string', 'resourceVersionMatch determines how resourceVersion is applied to list calls.'],
  sendInitialEvents: [
    'boolean',
    '`sendInitialEvents=true` may be set together with `watch=true`. In that case, the watch stream will begin with synthetic events to produce the current state of objects in the collection.',
  ],
  timeoutSeconds: ['integer', 'Timeout for the list/watch call.'],
  watch: [
    'boolean',
    'Watch for changes to the described resources and return them as a stream of add, update, and remove notifications.',
  ],
};

export const listParameters: readonly string[] = [
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
export const writeParameters: readonly string[] = ['dryRun', 'fieldManager', 'fieldValidation'];
export const patchParameters: readonly string[] = [...writeParameters, 'force'];
export const deleteParameters: readonly string[] = [
  'dryRun',
  'gracePeriodSeconds',
  'orphanDependents',
  'propagationPolicy',
];
export const deleteCollectionParameters: readonly string[] = [
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

/** Returns the query parameters with the given names. */
export function queryParameters(names: readonly string[]): readonly JsonObject[] {
  return names.map((name) => {
    const [type, description] = query[name] ?? ['string', ''];
    return { name, in: 'query', description, schema: { type, uniqueItems: true } };
  });
}

/** Returns a path parameter. */
export function pathParameter(name: 'name' | 'namespace', kind: string): JsonObject {
  const description =
    name === 'name' ? `name of the ${kind}` : 'object name and auth scope, such as for teams and projects';
  return { name, in: 'path', description, required: true, schema: { type: 'string', uniqueItems: true } };
}
