import { isNotFound } from '@kubewright/apimachinery';
import { Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { operatorRole } from '../instance/protocol.ts';
import { type Sql, SqlSession } from '../instance/sql/sql-session.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { secretValue } from '../spec/credentials.ts';

/** Opens superuser connections to the primary of a cluster. */
export interface PrimarySessions {
  /** Returns a connection to a database, or the reason why the primary is not available. */
  open(
    cluster: { readonly namespace: string; readonly name: string; readonly database: string },
    ctx: RequestContext,
  ): Promise<Sql | string>;
}

/** Connects to the pod of the primary with the operator's client certificate. */
export const primarySessions: PrimarySessions = {
  async open({ namespace, name, database }, ctx) {
    const cluster = await ctx.get(PostgresCluster, { namespace, name });
    if (!cluster) return `the PostgresCluster "${name}" does not exist`;
    if (cluster.spec.hibernated)
      return `the cluster "${name}" is hibernated; to start the cluster, set spec.hibernated to false`;
    const { currentPrimary = '', targetPrimary } = cluster.status ?? {};
    if (currentPrimary === '' || currentPrimary !== targetPrimary) return `the cluster "${name}" has no primary`;
    const pod = await ctx.get(Pod, { namespace, name: currentPrimary });
    const host = pod?.status?.podIP;
    if (host === undefined) return `the pod of the primary "${currentPrimary}" is not running`;
    const names = clusterNames(name);
    const secret = await ctx.client
      .resource(Secret)
      .get({ namespace, name: names.operatorCertificate }, { signal: ctx.signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    const [cert, key, ca] = ['tls.crt', 'tls.key', 'ca.crt'].map((part) => secretValue(secret, part));
    if (cert === undefined || key === undefined || ca === undefined)
      return `the certificates of the cluster "${name}" are missing`;
    const ssl = { cert, key, ca, servername: names.readWrite };
    // Makes `postgres`, not the operator's role, the owner of created objects, as users expect.
    return new SqlSession({ host, port: 5432, user: operatorRole, database, ssl, options: '-c role=postgres' });
  },
};
