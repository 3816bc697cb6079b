const group = 'example.com';
const base = `/apis/${group}/v1`;
const resource = {
  name: 'things',
  singularName: 'thing',
  namespaced: true,
  kind: 'Thing',
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
};
/** The discovery documents of a server that serves only the benchmarks' `Thing` kind. */
export const documents = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [
      {
        name: group,
        versions: [{ groupVersion: `${group}/v1`, version: 'v1' }],
        preferredVersion: { groupVersion: `${group}/v1`, version: 'v1' },
      },
    ],
  },
  [base]: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources: [resource] },
  '/version': { major: '1', minor: '36', gitVersion: 'v1.36.3' },
};
