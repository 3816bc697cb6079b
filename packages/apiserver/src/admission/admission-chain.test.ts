import { describe, expect, it } from 'vitest';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { AdmissionChain } from './admission-chain.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';

const definition = (resource: string) => ({ group: '', resource }) as ResourceDefinition;
const pods = definition('pods');

function recording(name: string, ran: string[], handles?: AdmissionPlugin['handles']): AdmissionPlugin {
  return {
    name,
    ...(handles && { handles }),
    mutate: async () => void ran.push(`${name} mutates`),
    validate: async () => void ran.push(`${name} validates`),
  };
}

describe('the admission chain', () => {
  it('runs only the plugins that handle the resource', async () => {
    const ran: string[] = [];
    const onlyPods = recording('onlyPods', ran, ({ resource }) => resource === 'pods');
    const chain = new AdmissionChain([onlyPods, recording('all', ran)]);
    for (const written of [pods, definition('secrets')]) {
      const attributes = { definition: written } as AdmissionAttributes;
      await chain.mutate(attributes);
      await chain.validate(attributes);
      ran.push('-');
    }
    expect(ran).toEqual([
      ...['onlyPods mutates', 'all mutates', 'onlyPods validates', 'all validates', '-'],
      ...['all mutates', 'all validates', '-'],
    ]);
  });

  it('asks a plugin once for each definition', async () => {
    const asked: string[] = [];
    const plugin = recording('plugin', [], ({ resource }) => asked.push(resource) > 0);
    const chain = new AdmissionChain([plugin]);
    for (const written of [pods, pods, definition('secrets')])
      await chain.mutate({ definition: written } as AdmissionAttributes);
    expect(asked).toEqual(['pods', 'secrets']);
  });
});
