import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error the generator has no types
import { metadataType, withGeneration } from './metadata-types.mjs';

interface Recorded {
  readonly resource: string;
  readonly stored: { readonly apiVersion: string; readonly metadata: { readonly generation?: number } };
}

const file = new URL('../../packages/controlplane/src/kinds/testdata/minimal.jsonl', import.meta.url);
const recorded = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

describe('metadataType', () => {
  it.each(recorded.map(({ resource, stored }) => [`${stored.apiVersion}/${resource}`, stored.metadata.generation]))(
    'knows whether kube-apiserver gave %s a generation',
    (name, generation) => {
      expect(withGeneration.has(name)).toBe(generation !== undefined);
    },
  );

  it('names the fields that stored objects have', () => {
    const verbs = ['get', 'list'];
    expect(metadataType('apps/v1', { name: 'deployments', namespaced: true, verbs })).toBe(
      "KindMeta<'namespace' | 'generation'>",
    );
    expect(metadataType('v1', { name: 'nodes', namespaced: false, verbs })).toBe('KindMeta');
    expect(metadataType('authentication.k8s.io/v1', { name: 'tokenreviews', verbs: ['create'] })).toBe('ComputedMeta');
  });
});
