import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { builtinResources } from '@kubewright/schema/internal';
import { describe, expect, it } from 'vitest';
import { builtinDefinitions } from './builtin-definitions.ts';

describe('builtinDefinitions', () => {
  const definitions = builtinDefinitions({ clock: new VirtualClock(), random: seededRandom(1) });

  it('defines every resource of the recorded server, with its subresources', () => {
    const names = definitions.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
    expect(names).toEqual(builtinResources().map(({ group, version, resource }) => `${group}/${version}/${resource}`));
    for (const [index, row] of builtinResources().entries()) {
      const expected = row.subresources.map(({ name }) => name);
      const definition = definitions[index];
      if (!definition?.virtual) expect([...(definition?.subresources.keys() ?? [])], row.resource).toEqual(expected);
    }
  });

  it('defines a kind for every resource that is stored and not defined elsewhere', () => {
    const virtual = definitions.filter((definition) => definition.virtual).map(({ resource }) => resource);
    expect(virtual).toEqual([
      'bindings',
      'selfsubjectreviews',
      'tokenreviews',
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
      'customresourcedefinitions',
    ]);
  });

  it('stores both event APIs and both autoscaler versions under one prefix each', () => {
    const prefixes = definitions
      .filter(({ resource }) => resource === 'events')
      .map((d) => [d.storagePrefix, d.storageApiVersion, d.ttlSeconds]);
    expect(prefixes).toEqual([
      ['/registry/events/', 'v1', 3600],
      ['/registry/events/', 'v1', 3600],
    ]);
    const autoscalers = definitions.filter(({ resource }) => resource === 'horizontalpodautoscalers');
    expect(new Set(autoscalers.map((d) => d.storagePrefix)).size).toBe(1);
    expect(autoscalers.map((d) => d.storageApiVersion)).toEqual(['autoscaling/v2', 'autoscaling/v2']);
  });
});
