import type { Stored } from '@kubewright/apimachinery';
import { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import type { Command } from '../command.ts';
import { checkInstance, findCluster } from '../find-cluster.ts';
import { PluginError } from '../plugin-error.ts';

export const fence: Command = {
  summary: 'Stops PostgreSQL on an instance and keeps it stopped. Fencing the primary triggers no failover.',
  args: ['CLUSTER', 'INSTANCE'],
  flags: { off: { type: 'boolean', text: 'end the fencing, so that PostgreSQL starts again' } },
  async run({ args: [name = '', instance = ''], flags }, session) {
    const cluster = await findCluster(name, session);
    const { client, namespace, signal } = session;
    const isOff = flags['off'] === true;
    if (!isOff) checkInstance(cluster, instance);
    else if (!cluster.spec.fenced?.includes(instance)) throw new PluginError(`${instance} is not fenced`);
    const fenced = nextFenced(cluster, { instance, isOff });
    const { resourceVersion } = cluster.metadata;
    // Sends the resource version, so that a concurrent change of the list is not overwritten.
    const body = { metadata: { resourceVersion }, spec: { fenced } };
    await client.resource(PostgresCluster).patch({ namespace, name }, { type: 'merge', body }, { signal });
    const names = fenced.length > 0 ? fenced.join(', ') : 'none';
    session.print(`${isOff ? 'unfenced' : 'fenced'} ${instance}; fenced instances of ${name}: ${names}\n`);
    return undefined;
  },
};

function nextFenced(
  { spec }: Stored<PostgresCluster>,
  { instance, isOff }: { readonly instance: string; readonly isOff: boolean },
): readonly string[] {
  const others = (spec.fenced ?? []).filter((each) => each !== instance);
  return isOff ? others : [...others, instance];
}
