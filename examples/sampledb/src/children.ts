import type { Stored } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, type Container, PersistentVolumeClaim, Service } from '@kubewright/apimachinery/core/v1';
import type { SampleDB } from './api/v1/sample-db.ts';

const folder = '/var/lib/postgresql/data';

/**
 * Returns a claim: either for the data, which is deleted after the snapshot, or for backups and snapshots, which
 * outlive the database.
 */
export function claimFor(db: Stored<SampleDB>, purpose: 'data' | 'snapshots'): PersistentVolumeClaim {
  const resources = { requests: { storage: db.spec.storage ?? '1Gi' } };
  const metadata = { name: `${db.metadata.name}-${purpose}` };
  return PersistentVolumeClaim({ metadata, spec: { accessModes: ['ReadWriteOnce'], resources } });
}

/** Returns the ConfigMap with the database address, as variables that clients read, and the SQL for a new database. */
export function configFor({ metadata: { name }, spec }: Stored<SampleDB>, host: string): ConfigMap {
  const initialize = spec.initialize ?? '';
  const data = { PGHOST: host, PGPORT: '5432', PGUSER: 'postgres', PGDATABASE: 'app', INITIALIZE: initialize };
  return ConfigMap({ metadata: { name }, data });
}

export function serviceFor({ metadata: { name } }: Stored<SampleDB>): Service {
  const ports = [{ name: 'database', port: 5432 }];
  return Service({ metadata: { name }, spec: { ports, selector: { 'samples.example.com/db': name } } });
}

/**
 * Returns the server. Each version has its own folder in the volume, so the data of the previous version stays until the upgrade is
 * complete. The server starts without the database, which a Job creates with all its data.
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
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: `${name}-data` } }];
  const template = { metadata: { labels }, spec: { containers: [server], volumes } };
  return StatefulSet({ metadata: { name }, spec: { serviceName: name, selector: { matchLabels: labels }, template } });
}
