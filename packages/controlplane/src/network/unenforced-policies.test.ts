import { Event } from '@kubewright/apimachinery/core/v1';
import { NetworkPolicy } from '@kubewright/apimachinery/networking/v1';
import { expect, it } from 'vitest';
import { EmbeddedCluster } from '../cluster/embedded-cluster.ts';

it('reports that a NetworkPolicy is not enforced', async () => {
  await using cluster = await EmbeddedCluster.start({ node: {}, components: ['kube-proxy', 'nodes', 'controllers'] });
  const client = cluster.client();
  const metadata = { name: 'closed', namespace: 'default' };
  await client.resource(NetworkPolicy).create(NetworkPolicy({ metadata, spec: { podSelector: {} } }));
  const notes = async () => {
    const { items } = await client.resource(Event).list({ namespace: 'default' });
    return items
      .filter(({ involvedObject }) => involvedObject.kind === 'NetworkPolicy')
      .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  };
  const note = 'NetworkPolicy closed restricts no traffic: pods share the loopback network; use --network isolated';
  await expect.poll(notes, { timeout: 30_000 }).toEqual([`Warning NotEnforced ${note}`]);
});
