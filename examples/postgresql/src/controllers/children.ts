import type { Stored } from '@kubewright/apimachinery';
import { type Container, Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { Postgresql } from '../api/v1/postgresql.ts';

/** Returns the Secret from which the pod and the clients of a server read its user and password. */
export function secretFor({ metadata, spec }: Stored<Postgresql>): Secret {
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  return Secret({
    metadata: { name: `${metadata.name}-credentials` },
    type: 'kubernetes.io/basic-auth',
    data: { username: base64(spec.defaultUser ?? spec.defaultuser ?? 'postgres'), password: base64(spec.password) },
  });
}

/** Returns the pod that runs the server, named like its owner. */
export function podFor({ metadata: { name } }: Stored<Postgresql>): Pod {
  const labels = { 'app.kubernetes.io/name': 'postgresql', 'app.kubernetes.io/instance': name };
  const fromSecret = (key: string) => ({ secretKeyRef: { name: `${name}-credentials`, key } });
  const server: Container = {
    name: 'postgres',
    image: 'postgres:17',
    ports: [{ name: 'postgresql', containerPort: 5432 }],
    env: [
      { name: 'POSTGRES_USER', valueFrom: fromSecret('username') },
      { name: 'POSTGRES_PASSWORD', valueFrom: fromSecret('password') },
    ],
    readinessProbe: { tcpSocket: { port: 'postgresql' }, periodSeconds: 1 },
  };
  return Pod({ metadata: { name, labels }, spec: { containers: [server] } });
}
