import type { Secret } from '@kubewright/apimachinery/core/v1';
import { poolerRole } from '../instance/protocol.ts';
import { type Certificates, type KeyPair, nextLeaf } from './certificates.ts';
import { secretValue } from './credentials.ts';

/** The certificates of a pooler. */
export interface PoolerCertificates {
  /** Server certificate for the names of the pooler's Service. */
  readonly server: KeyPair;
  /** Client certificate that the pooler uses to look up passwords. */
  readonly client: KeyPair;
  /** The trusted authorities, in PEM. */
  readonly authorities: string;
}

/**
 * Returns a pooler's current certificates: the certificates in its Secret until they need renewal, then new
 * certificates.
 */
export function nextPoolerCertificates(
  existing: Secret | undefined,
  options: {
    readonly authority: Certificates['authority'];
    readonly cluster: string;
    readonly pooler: string;
    readonly namespace: string;
    readonly nowMs: number;
  },
): PoolerCertificates {
  const { authority, cluster, pooler, namespace, nowMs } = options;
  const hosts = [pooler, ...['', '.svc', '.svc.cluster.local'].map((end) => `${pooler}.${namespace}${end}`)];
  const by = { authority, cluster, nowMs };
  return {
    server: nextLeaf(pairIn(existing, 'server'), { ...by, commonName: pooler, hosts }),
    client: nextLeaf(pairIn(existing, 'client'), { ...by, commonName: poolerRole }),
    authorities: authority.bundle.join(''),
  };
}

function pairIn(secret: Secret | undefined, name: string): KeyPair | undefined {
  const [certificate, key] = [secretValue(secret, `${name}.crt`), secretValue(secret, `${name}.key`)];
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}
