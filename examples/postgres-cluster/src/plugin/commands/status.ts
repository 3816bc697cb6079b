import { Pod } from '@kubewright/apimachinery/core/v1';
import { PostgresBackup } from '../../api/v1/postgres-backup.ts';
import { clusterLabel } from '../../instance/protocol.ts';
import type { Command } from '../command.ts';
import { findCluster } from '../find-cluster.ts';
import { readReplication } from '../replication.ts';
import { statusText } from '../text/status-text.ts';

export const status: Command = {
  summary: 'Prints the state of a cluster: instances, replication, archive and backups.',
  args: ['CLUSTER'],
  flags: {},
  async run({ args: [name = ''] }, session) {
    const { client, namespace, signal, clock, print } = session;
    const cluster = await findCluster(name, session);
    const [pods, backups, replication] = await Promise.all([
      client.resource(Pod).list({ namespace, labelSelector: `${clusterLabel}=${name}`, signal }),
      client.resource(PostgresBackup).list({ namespace, signal }),
      readReplication(cluster.status?.currentPrimary || undefined, session),
    ]);
    const nodes = new Map(pods.items.map(({ metadata, spec }) => [metadata.name, spec?.nodeName ?? '-']));
    const own = backups.items.filter(({ spec }) => spec.cluster === name);
    print(statusText({ cluster, backups: own, replication, nodes, nowMs: clock.now() }));
    return undefined;
  },
};
