import type { Stored } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, type Container, PersistentVolumeClaim, Secret, Service } from '@kubewright/apimachinery/core/v1';
import type { SampleDB } from './api/v1/sample-db.ts';

const folder = '/var/lib/postgresql/data';
const database = 'app';

/** The volume with the data, which is deleted after the snapshot. */
export function dataFor({ metadata: { name }, spec }: Stored<SampleDB>): PersistentVolumeClaim {
  return claim(dataName(name), spec.storage);
}

/** Returns the name of the claim for the data. */
export function dataName(name: string): string {
  return `${name}-data`;
}

/** The volume with backups and snapshots, which outlives the database. */
export function snapshotsFor({ metadata: { name }, spec }: Stored<SampleDB>): PersistentVolumeClaim {
  return claim(snapshotsName(name), spec.storage);
}

/** Returns the name of the claim for backups and snapshots. */
export function snapshotsName(name: string): string {
  return `${name}-snapshots`;
}

function claim(name: string, storage = '1Gi'): PersistentVolumeClaim {
  const resources = { requests: { storage } };
  return PersistentVolumeClaim({ metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources } });
}

/** The password. Its key is the variable from which the clients read it. */
export function secretFor({ metadata: { name } }: Stored<SampleDB>, password: string): Secret {
  return Secret({ metadata: { name }, type: 'Opaque', data: { PGPASSWORD: password } });
}

/** The address of the database; the keys are the variables of the clients. */
export function configFor({ metadata: { name } }: Stored<SampleDB>, host: string): ConfigMap {
  const data = { PGHOST: host, PGPORT: '5432', PGUSER: 'postgres', PGDATABASE: database };
  return ConfigMap({ metadata: { name }, data });
}

export function serviceFor({ metadata: { name } }: Stored<SampleDB>): Service {
  const ports = [{ name: 'database', port: 5432 }];
  return Service({ metadata: { name }, spec: { ports, selector: { 'samples.example.com/db': name } } });
}

/**
 * The server. Each version has its own folder in the volume, so the data of the previous one stays until the upgrade is complete. It
 * starts without the database, which a Job creates with all its data.
 */
export function serverFor({ metadata: { name } }: Stored<SampleDB>, version: string): StatefulSet {
  const labels = { 'samples.example.com/db': name };
  const server: Container = {
    name: 'server',
    image: `postgres:${version}`,
    env: [
      { name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name, key: 'PGPASSWORD' } } },
      { name: 'PGDATA', value: `${folder}/${version}` },
    ],
    ports: [{ name: 'database', containerPort: 5432 }],
    readinessProbe: { tcpSocket: { port: 'database' }, periodSeconds: 1 },
    volumeMounts: [{ name: 'data', mountPath: folder }],
  };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: dataName(name) } }];
  return StatefulSet({
    metadata: { name },
    spec: {
      serviceName: name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [server], volumes } },
    },
  });
}
