/** Names of a cluster's objects. Instances, their pods and their claims are named `NAME-1`, `NAME-2`, …. */
export interface ClusterNames {
  /** Service of the primary. */
  readonly readWrite: string;
  /** Service of the replicas. */
  readonly readOnly: string;
  /** Service of all instances. */
  readonly read: string;
  /** Lease that the primary holds. */
  readonly lease: string;
  /** Secret with the cluster's certificate authority. Only the operator reads it. */
  readonly authority: string;
  /** Secrets with `tls.key`, `tls.crt` and `ca.crt`. */
  readonly serverCertificate: string;
  readonly replicationCertificate: string;
  readonly operatorCertificate: string;
  /** Secrets with a user name and a password. */
  readonly application: string;
  readonly superuser: string;
  /** ServiceAccount, Role and RoleBinding of the instances. */
  readonly instances: string;
  /** PodDisruptionBudgets of the primary and of the replicas. */
  readonly primaryBudget: string;
  readonly replicaBudget: string;
}

/** Returns the names of the objects of a cluster. */
export function clusterNames(cluster: string): ClusterNames {
  return {
    readWrite: `${cluster}-rw`,
    readOnly: `${cluster}-ro`,
    read: `${cluster}-r`,
    lease: `${cluster}-primary`,
    authority: `${cluster}-ca`,
    serverCertificate: `${cluster}-server`,
    replicationCertificate: `${cluster}-replication`,
    operatorCertificate: `${cluster}-operator`,
    application: `${cluster}-app`,
    superuser: `${cluster}-superuser`,
    instances: `${cluster}-instances`,
    primaryBudget: `${cluster}-primary`,
    replicaBudget: `${cluster}-replicas`,
  };
}

/** Returns the name of an instance. */
export function instanceName(cluster: string, number: number): string {
  return `${cluster}-${number}`;
}

/** Returns true if the name is that of an instance of the cluster. */
export function isInstanceName(cluster: string, name: string): boolean {
  return name.startsWith(`${cluster}-`) && /^\d+$/.test(name.slice(cluster.length + 1));
}

/** Returns the number in an instance's name. */
export function instanceNumber(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
