import type { Stored } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { type Container, PersistentVolumeClaim, Secret, Service } from '@kubewright/apimachinery/core/v1';
import type { Database } from './api/database.ts';

const folder = '/var/lib/postgresql/data';

/** Returns the password in a Secret. */
export function passwordOf(secret: Secret | undefined): string | undefined {
  const password = secret?.data?.['password'];
  return password === undefined ? undefined : Buffer.from(password, 'base64').toString();
}

/** Returns the Secret with the password of the servers, named like their `Database`. */
export function secretFor({ metadata: { name } }: Stored<Database>, password: string): Secret {
  const data = { password: Buffer.from(password).toString('base64') };
  return Secret({ metadata: { name, labels: labelsOf(name) }, type: 'Opaque', data });
}

/** Returns the Service that gives each server its own name, such as `my-db-0.my-db`. */
export function serviceFor({ metadata: { name }, spec }: Stored<Database>): Service {
  const ports = [{ name: 'database', port: portOf(spec) }];
  return Service({
    metadata: { name, labels: labelsOf(name) },
    spec: { clusterIP: 'None', selector: labelsOf(name), ports },
  });
}

/** Returns the StatefulSet of the servers, each with its own volume and database. */
export function statefulSetFor({ metadata: { name }, spec = {} }: Stored<Database>): StatefulSet {
  const labels = labelsOf(name);
  const server: Container = {
    name: 'database',
    image: spec.image ?? 'postgres:17',
    ports: [{ name: 'database', containerPort: portOf(spec) }],
    env: [
      { name: 'POSTGRES_DB', value: spec.name ?? name },
      { name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name, key: 'password' } } },
      { name: 'PGPORT', value: String(portOf(spec)) },
      // A subfolder of the mount point: some volumes contain a folder lost+found, but the server requires an empty
      // folder.
      { name: 'PGDATA', value: `${folder}/pgdata` },
    ],
    volumeMounts: [{ name: 'data', mountPath: folder }],
    readinessProbe: { tcpSocket: { port: 'database' }, periodSeconds: 1 },
  };
  const storage = spec['storage-size'] ?? '1Gi';
  const claim = PersistentVolumeClaim({
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });
  return StatefulSet({
    metadata: { name, labels },
    spec: {
      serviceName: name,
      // The servers do not depend on each other.
      podManagementPolicy: 'Parallel',
      replicas: spec.replicas ?? 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [server] } },
      volumeClaimTemplates: [claim],
    },
  });
}

function portOf(spec: Database['spec'] = {}): number {
  return spec.port ?? 5432;
}

function labelsOf(name: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': 'database', 'app.kubernetes.io/instance': name };
}
