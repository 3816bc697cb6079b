/** Creates a namespace and waits for its default service account, which pods need. */
export const namespaceSteps = (namespace) => [
  {
    name: 'the namespace',
    prepares: true,
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: namespace } },
  },
  {
    name: 'its service account',
    prepares: true,
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/default`,
    until: 200,
  },
];

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Returns a CRD with the given schema for its only version, `v1`. `then` overrides parts of its spec. */
export function definition(plural, schema, then = {}) {
  const kind = plural[0].toUpperCase() + plural.slice(1, -1);
  return {
    metadata: { name: `${plural}.bad.example.com` },
    spec: {
      group: 'bad.example.com',
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      ...then,
    },
  };
}

/** Creates a CRD and waits until its objects are served. */
export const definitionSteps = (plural, schema) => [
  { name: `the kind ${plural}`, prepares: true, method: 'POST', path: definitions, body: definition(plural, schema) },
  {
    name: `${plural} are served`,
    prepares: true,
    method: 'GET',
    path: `/apis/bad.example.com/v1/${plural}`,
    until: 200,
  },
];

/** Returns a case that sends a POST. */
export const post = (name, path, body, more = {}) => ({ name, method: 'POST', path, body, ...more });
/** Returns a case that sends a GET. */
export const get = (name, path, more = {}) => ({ name, method: 'GET', path, ...more });
/** Returns a case that sends a PUT. */
export const put = (name, path, body, more = {}) => ({ name, method: 'PUT', path, body, ...more });
/** Returns a case that sends a DELETE. */
export const del = (name, path, body, more = {}) => ({ name, method: 'DELETE', path, body, ...more });

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Returns a case that sends a PATCH; `type` is json, merge, strategic or apply. */
export const patch = (name, path, { type, body, ...more }) => ({
  name,
  method: 'PATCH',
  path,
  body,
  headers: { 'content-type': patchTypes[type] },
  ...more,
});

/** Marks a step as preparation: it must succeed, and its response is not recorded. */
export const first = (step) => ({ ...step, prepares: true });
