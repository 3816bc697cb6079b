import { notFound, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { ClusterNamespaces } from './cluster-namespaces.ts';

/** Returns a cluster with the given namespaces, which counts the reads of each namespace. */
function start(phases: Readonly<Record<string, string>>) {
  const clock = new VirtualClock();
  const reads: string[] = [];
  const found = new Map(Object.entries(phases));
  const client = {
    async request({ path }: { readonly path: string }): Promise<unknown> {
      const name = path.replace('/api/v1/namespaces/', '');
      reads.push(name);
      const phase = found.get(name);
      if (phase === 'Secret') throw new Error('forbidden');
      if (phase === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
      return { status: { phase } };
    },
  };
  return { clock, reads, found, namespaces: new ClusterNamespaces(client, { clock }) };
}

describe('ClusterNamespaces', () => {
  it('caches active namespaces for two seconds', async () => {
    const { clock, reads, found, namespaces } = start({ default: 'Active' });
    expect(await namespaces.phaseOf('default')).toBe('Active');
    found.delete('default');
    await clock.advance(1_999);
    expect(await namespaces.phaseOf('default')).toBe('Active');
    await clock.advance(1);
    expect(await namespaces.phaseOf('default')).toBeUndefined();
    expect(reads).toEqual(['default', 'default']);
  });

  it('reads other namespaces on each request', async () => {
    const { reads, found, namespaces } = start({ going: 'Terminating' });
    expect(await namespaces.phaseOf('going')).toBe('Terminating');
    expect(await namespaces.phaseOf('new')).toBeUndefined();
    found.set('new', 'Active');
    expect(await namespaces.phaseOf('new')).toBe('Active');
    expect(reads).toEqual(['going', 'new', 'new']);
  });

  it('reports why a namespace cannot be read', async () => {
    const { namespaces } = start({ hidden: 'Secret' });
    await expect(namespaces.phaseOf('hidden')).rejects.toMatchObject({
      code: 'KW5107',
      what: 'cannot read the namespace hidden',
      why: 'forbidden',
    });
  });
});
