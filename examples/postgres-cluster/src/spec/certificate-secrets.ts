import type { Stored } from '@kubewright/apimachinery';
import { Secret } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';
import type { Certificates, KeyPair } from './certificates.ts';
import { clusterNames } from './cluster-names.ts';
import { secretValue } from './credentials.ts';

/** Returns the Secrets with a cluster's certificates. Only the first one contains the authority's key. */
export function certificateSecretsFor(
  { metadata: { name } }: Stored<PostgresCluster>,
  { authority, server, replication, operator }: Certificates,
): readonly Secret[] {
  const names = clusterNames(name);
  const bundle = authority.bundle.join('');
  const secret = (secretName: string, type: string, data: Readonly<Record<string, string>>): Secret => {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
    const metadata = { name: secretName, labels: { [clusterLabel]: name } };
    return Secret({ metadata, type, data: Object.fromEntries(encoded) });
  };
  const pair = (secretName: string, { key, certificate }: KeyPair): Secret =>
    secret(secretName, 'kubernetes.io/tls', { 'ca.crt': bundle, 'tls.crt': certificate, 'tls.key': key });
  return [
    secret(names.authority, 'Opaque', { 'ca.crt': bundle, 'ca.key': authority.key }),
    pair(names.serverCertificate, server),
    pair(names.replicationCertificate, replication),
    pair(names.operatorCertificate, operator),
  ];
}

/** Reads a cluster's certificates from its Secrets. Missing certificates are left out. */
export function readCertificates(
  cluster: string,
  secretOf: (name: string) => Secret | undefined,
): Partial<Certificates> {
  const names = clusterNames(cluster);
  const authority = secretOf(names.authority);
  const bundle = secretValue(authority, 'ca.crt')?.match(
    /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/g,
  );
  const key = secretValue(authority, 'ca.key');
  const pair = (name: string): KeyPair | undefined => {
    const secret = secretOf(name);
    const [leafKey, certificate] = [secretValue(secret, 'tls.key'), secretValue(secret, 'tls.crt')];
    return leafKey === undefined || certificate === undefined ? undefined : { key: leafKey, certificate };
  };
  const [server, replication, operator] = [
    pair(names.serverCertificate),
    pair(names.replicationCertificate),
    pair(names.operatorCertificate),
  ];
  return {
    ...(bundle && key !== undefined && { authority: { key, bundle } }),
    ...(server && { server }),
    ...(replication && { replication }),
    ...(operator && { operator }),
  };
}
