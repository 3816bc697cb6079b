import { StatusError, seededRandom, systemClock, type UnstructuredObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { inMemoryServer } from '@kubewright/controlplane/internal';
import { expect, it } from 'vitest';
import { type RemovalOptions, removeObjects } from './remove-objects.ts';

const schema = { openAPIV3Schema: { type: 'object' } };
const crd = CustomResourceDefinition({
  metadata: { name: 'notes.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Note', plural: 'notes' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://localhost:1/convert' } },
    },
  },
});

it.each([
  ['a missing permission', 403, 'notes.example.com is forbidden'],
  ['an overloaded server', 429, 'too many requests'],
])('keeps the conversion of a kind whose list fails because of %s', async (_, code, message) => {
  const client = await inMemoryServer({ clock: systemClock, random: seededRandom(1) });
  const kinds = client.resource(CustomResourceDefinition);
  await kinds.create(crd);
  const error = new StatusError({ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code, message });
  const failing = client.intercepted(async (call, next) => {
    if (call.verb === 'list' && call.target?.resource === 'notes') throw error;
    return next(call);
  });
  const environment = { clock: systemClock, signal: new AbortController().signal };
  const options = { target: { client: failing, environment } } as unknown as RemovalOptions; // no more is used
  await expect(removeObjects(crd as unknown as UnstructuredObject, options)).rejects.toThrow(message);
  expect((await kinds.get({ name: 'notes.example.com' })).spec.conversion?.strategy).toBe('Webhook');
});
