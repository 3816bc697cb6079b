import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Event, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { PostgresBackup } from '../../api/v1/postgres-backup.ts';
import { PostgresBackupSchedule } from '../../api/v1/postgres-backup-schedule.ts';
import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../../instance/protocol.ts';
import { clusterNames } from '../../spec/cluster-names.ts';
import { type Command, type Session, textFlag } from '../command.ts';
import { findCluster } from '../find-cluster.ts';
import { backupName } from './backup.ts';
import { podLines } from './logs.ts';
import { status } from './status.ts';

export const report: Command = {
  summary: 'Writes the status, objects, events and logs of a cluster to a folder, without Secrets.',
  args: ['CLUSTER'],
  flags: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FOLDER',
      text: 'folder to write to (default: report-CLUSTER-TIMESTAMP)',
    },
  },
  async run({ args: [name = ''], flags }, session) {
    const cluster = await findCluster(name, session);
    const folder = textFlag(flags, 'output') ?? `report-${backupName(name, session.clock.now())}`;
    await mkdir(folder, { recursive: true });
    const write = (file: string, text: string): Promise<void> => writeFile(join(folder, file), text);
    let text = '';
    const print = (more: string): void => {
      text += more;
    };
    await status.run({ args: [name], flags: {}, rest: [] }, { ...session, print });
    await write('status.txt', text);
    const objects = await objectsOf(cluster, session);
    for (const [file, found] of Object.entries(objects))
      await write(`${file}.json`, `${JSON.stringify(found, null, 2)}\n`);
    for (const { metadata } of objects.pods) await write(`${metadata.name}.log`, await logOf(metadata.name, session));
    session.print(`wrote ${folder}: status, objects, events and logs of ${name}\n`);
    return undefined;
  },
};

async function objectsOf(cluster: Stored<PostgresCluster>, { client, namespace, signal }: Session) {
  const { name } = cluster.metadata;
  const own = { namespace, labelSelector: `${clusterLabel}=${name}`, signal };
  const [pods, claims, leases, backups, schedules, events] = await Promise.all([
    client.resource(Pod).list(own),
    client.resource(PersistentVolumeClaim).list(own),
    client.resource(Lease).list({ namespace, signal }),
    client.resource(PostgresBackup).list({ namespace, signal }),
    client.resource(PostgresBackupSchedule).list({ namespace, signal }),
    client.resource(Event).list({ namespace, signal }),
  ]);
  const found = {
    cluster,
    pods: pods.items,
    claims: claims.items,
    leases: leases.items.filter(({ metadata }) => metadata.name === clusterNames(name).lease),
    backups: backups.items.filter(({ spec }) => spec.cluster === name),
    schedules: schedules.items.filter(({ spec }) => spec.cluster === name),
  };
  const uids = new Set(Object.values(found).flatMap((objects) => [objects].flat().map(({ metadata }) => metadata.uid)));
  return { ...found, events: events.items.filter(({ involvedObject: { uid } }) => uid !== undefined && uids.has(uid)) };
}

async function logOf(pod: string, session: Session): Promise<string> {
  let text = '';
  try {
    for await (const line of podLines(pod, { session, options: {} })) text += `${line}\n`;
    return text;
  } catch (error) {
    // A container that has not started has no log.
    return `${text}cannot read the log of pod ${pod}: ${error instanceof Error ? error.message : String(error)}\n`;
  }
}
