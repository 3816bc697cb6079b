import { randomBytes } from 'node:crypto';
import type { Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Secret, Service, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
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
import type { OwnObjects } from './own-objects.ts';

/** Applies all objects of a cluster except its instances. Keeps existing passwords and certificates. */
export async function applyClusterObjects(
  cluster: Stored<PostgresCluster>,
  { ctx, own }: { readonly ctx: ReconcileContext<PostgresCluster>; readonly own: OwnObjects },
): Promise<void> {
  const { name, namespace = '' } = cluster.metadata;
  const names = clusterNames(name);
  const secrets = new Map<string, Stored<Secret>>();
  for (const secret of secretNames(cluster)) {
    const found = await own.get(Secret, secret);
    if (found) secrets.set(secret, found);
  }
  const secretOf = (secret: string): Stored<Secret> | undefined => secrets.get(secret);
  const password = (secret: string): string => secretValue(secretOf(secret), 'password') ?? newPassword();
  const existing = readCertificates(name, secretOf);
  const certificates = nextCertificates(existing, { cluster: name, namespace, nowMs: ctx.clock.now() });
  // If a foreign Secret has the authority's name, the key cannot be stored: a new authority would be created on each reconcile.
  if (!(await own.isForeign(Secret, names.authority)))
    await own.apply(Secret, certificateSecretsFor(cluster, certificates));
  await own.apply(Secret, [applicationSecretFor(cluster, password(names.application))]);
  const superuser = ctx.observed.get(Secret, names.superuser);
  if (cluster.spec.superuserAccess) await own.apply(Secret, [superuserSecretFor(cluster, password(names.superuser))]);
  else if (superuser) await ctx.delete(superuser);
  const [account, role, binding] = instanceAccessFor(cluster);
  await own.apply(ServiceAccount, [account]);
  await own.apply(Role, [role]);
  await own.apply(RoleBinding, [binding]);
  await own.apply(Service, servicesFor(cluster));
  await own.apply(PodDisruptionBudget, disruptionBudgetsFor(cluster));
  if (!(await own.get(Lease, names.lease))) await own.apply(Lease, [primaryLeaseFor(cluster)]);
}

/** Returns the names of the Secrets that the cluster needs. */
function secretNames({ metadata, spec }: Stored<PostgresCluster>): readonly string[] {
  const names = clusterNames(metadata.name);
  const certificates = [
    names.authority,
    names.serverCertificate,
    names.replicationCertificate,
    names.operatorCertificate,
  ];
  return [...certificates, names.application, ...(spec.superuserAccess ? [names.superuser] : [])];
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
