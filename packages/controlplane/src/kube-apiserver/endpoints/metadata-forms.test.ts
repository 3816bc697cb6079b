import { protobuf } from '@kubewright/schema/internal';
import { expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../testdata/test-server.ts';

const form = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;

// The responses are those of kube-apiserver 1.36.3.
it('returns null items in an empty metadata list', async () => {
  await using server = new TestServer(withBuiltinKinds);
  const { text } = await server.get('/api/v1/namespaces/none/configmaps', {
    accept: form('PartialObjectMetadataList'),
  });
  expect(text).toMatch(/^\{"kind":"PartialObjectMetadataList",.*,"items":null\}$/);
});

it.each([
  ['/api/v1/namespaces', 'PartialObjectMetadata', 'a list (*core.NamespaceList)'],
  ['/api/v1/namespaces/default', 'PartialObjectMetadataList', 'not a list (*core.Namespace)'],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles', 'PartialObjectMetadata', 'a list (*rbac.ClusterRoleList)'],
])('the metadata of %s cannot be a %s', async (path, kind, what) => {
  await using server = new TestServer({ ...withBuiltinKinds, protobuf });
  await server.post('/api/v1/namespaces', { metadata: { name: 'default' } });
  const { status, json } = await server.get(path, { accept: form(kind) });
  expect([status, json.reason, json.message]).toEqual([
    406,
    'NotAcceptable',
    `you requested ${kind}, but the requested object is ${what}`,
  ]);
});

it('reports invalid parameters before an unavailable form', async () => {
  await using server = new TestServer({ ...withBuiltinKinds, protobuf });
  const accept = form('PartialObjectMetadata');
  expect((await server.get('/api/v1/namespaces?resourceVersionMatch=Exact', { accept })).status).toBe(422);
  const watched = await server.get('/api/v1/namespaces?watch=true&fieldSelector=no%3Dno', {
    accept: form('PartialObjectMetadataList'),
  });
  expect(watched.status).toBe(400);
});
