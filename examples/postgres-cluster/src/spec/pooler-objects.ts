import type { Stored } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { type Container, Secret, Service } from '@kubewright/apimachinery/core/v1';
import type { PostgresPooler } from '../api/v1/postgres-pooler.ts';
import { statusPort } from '../instance/protocol.ts';
import type { PoolerCertificates } from './pooler-certificates.ts';

/** Label on pods with the name of their pooler. */
export const poolerLabel = 'database.db.example.com/pooler';

/** Mount point of the settings and certificates. */
const folder = '/etc/postgres-pooler';

/** Returns the name of the Secret with the settings and certificates of a pooler's pods. */
export function poolerSecretName(pooler: string): string {
  return `${pooler}-pooler`;
}

/** Returns the Secret with everything that the pods read. The pods reload it when it changes, without a restart. */
export function poolerSecretFor(
  { metadata: { name }, spec }: Stored<PostgresPooler>,
  { settings, certificates }: { readonly settings: string; readonly certificates: PoolerCertificates },
): Secret {
  const { server, client, authorities } = certificates;
  const files = {
    'pgbouncer.ini': settings,
    paused: String(spec.paused ?? false),
    'ca.crt': authorities,
    'server.crt': server.certificate,
    'server.key': server.key,
    'client.crt': client.certificate,
    'client.key': client.key,
  };
  const data = Object.entries(files).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
  const metadata = { name: poolerSecretName(name), labels: { [poolerLabel]: name } };
  return Secret({ metadata, type: 'Opaque', data: Object.fromEntries(data) });
}

/** Returns the Service that clients connect to. */
export function poolerServiceFor({ metadata: { name } }: Stored<PostgresPooler>): Service {
  const ports = [{ name: 'postgresql', port: 5432, targetPort: 'postgresql' }];
  return Service({
    metadata: { name, labels: { [poolerLabel]: name } },
    spec: { ports, selector: { [poolerLabel]: name } },
  });
}

/** Returns the Deployment that runs PgBouncer. */
export function poolerDeploymentFor(
  { metadata: { name }, spec }: Stored<PostgresPooler>,
  { image }: { readonly image: string },
): Deployment {
  const labels = { [poolerLabel]: name };
  const container: Container = {
    name: 'pgbouncer',
    image,
    env: [
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'POOLER_FOLDER', value: folder },
      { name: 'POOLER_NAME', value: name },
      { name: 'CLUSTER_NAME', value: spec.cluster },
    ],
    ports: [
      { name: 'postgresql', containerPort: 5432 },
      { name: 'metrics', containerPort: statusPort },
    ],
    readinessProbe: { tcpSocket: { port: 'postgresql' }, periodSeconds: 2 },
    // If PgBouncer does not start, the last line of the log says why.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'settings', mountPath: folder, readOnly: true }],
  };
  const spread = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' } as const;
  return Deployment({
    metadata: { name, labels },
    spec: {
      replicas: spec.instances ?? 1,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          // Allows transactions to end.
          terminationGracePeriodSeconds: 60,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: labels } }],
          containers: [container],
          volumes: [{ name: 'settings', secret: { secretName: poolerSecretName(name) } }],
        },
      },
    },
  });
}
