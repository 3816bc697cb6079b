import { randomBytes } from 'node:crypto';
import type { Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Secret } from '@kubewright/apimachinery/core/v1';
import type { ReconcileContext } from '@kubewright/runtime';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { certificateSecretsFor, readCertificates } from '../spec/certificate-secrets.ts';
import { nextCertificates } from '../spec/certificates.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { applicationSecretFor, secretValue, superuserSecretFor } from '../spec/credentials.ts';
import { disruptionBudgetsFor } from '../spec/disruption-budgets.ts';
import { instanceAccessFor } from '../spec/instance-access.ts';
import { primaryLeaseFor } from '../spec/primary-lease.ts';
import { servicesFor } from '../spec/services.ts';

/** Applies all that a cluster needs apart from its instances. Passwords and certificates that exist are kept. */
export async function applyClusterObjects(
  cluster: Stored<PostgresCluster>,
  ctx: ReconcileContext<PostgresCluster>,
): Promise<void> {
  const { observed } = ctx;
  const { name, namespace = '' } = cluster.metadata;
  const names = clusterNames(name);
  const secretOf = (secret: string): Stored<Secret> | undefined => observed.get(Secret, secret);
  const password = (secret: string): string => secretValue(secretOf(secret), 'password') ?? newPassword();
  const existing = readCertificates(name, secretOf);
  const certificates = nextCertificates(existing, { cluster: name, namespace, nowMs: ctx.clock.now() });
  await ctx.apply(certificateSecretsFor(cluster, certificates));
  await ctx.apply(applicationSecretFor(cluster, password(names.application)));
  const superuser = secretOf(names.superuser);
  if (cluster.spec.superuserAccess) await ctx.apply(superuserSecretFor(cluster, password(names.superuser)));
  else if (superuser) await ctx.delete(superuser);
  await ctx.apply(instanceAccessFor(cluster));
  await ctx.apply(servicesFor(cluster));
  await ctx.apply(disruptionBudgetsFor(cluster));
  if (!observed.get(Lease, names.lease)) await ctx.apply(primaryLeaseFor(cluster));
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
