import * as crypto from 'node:crypto';
import { issueCertificate } from '@kubewright/apimachinery';
import { operatorUser, replicationUser } from '../instance/protocol.ts';
import { clusterNames } from './cluster-names.ts';

/** A private key and its certificate, in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** The certificates of a cluster. */
export interface Certificates {
  /** Key of the newest authority, and the certificates of all trusted authorities, newest first. */
  readonly authority: { readonly key: string; readonly bundle: readonly string[] };
  readonly server: KeyPair;
  readonly replication: KeyPair;
  readonly operator: KeyPair;
}

const dayMs = 86_400_000;
/** Certificates are backdated, because the clocks of machines differ. */
const backdateMs = 3_600_000;
const authorityMs = 365 * dayMs;
const renewAuthorityMs = 60 * dayMs;
const leafMs = 90 * dayMs;
const renewLeafMs = 30 * dayMs;
/** Time for all parties to load the new bundle before the new authority signs certificates. */
const overlapMs = dayMs;

/**
 * Returns a cluster's current certificates: the existing ones until they need renewal, then new ones. A new authority
 * is distributed a day before it signs, so that both ends of a connection already trust it.
 */
export function nextCertificates(
  existing: Partial<Certificates>,
  { cluster, namespace, nowMs }: { readonly cluster: string; readonly namespace: string; readonly nowMs: number },
): Certificates {
  const authority = nextAuthority(existing.authority, { cluster, nowMs });
  const hosts = serverHosts(cluster, namespace);
  const by = { authority, cluster, nowMs };
  return {
    authority,
    server: nextLeaf(existing.server, { ...by, commonName: hosts[0] ?? cluster, hosts }),
    replication: nextLeaf(existing.replication, { ...by, commonName: replicationUser }),
    operator: nextLeaf(existing.operator, { ...by, commonName: operatorUser }),
  };
}

/**
 * Returns the existing key pair if it needs no renewal, otherwise issues a new one: a server certificate if `hosts` are
 * given, else a client certificate.
 */
export function nextLeaf(
  existing: KeyPair | undefined,
  leaf: {
    readonly authority: Authority;
    readonly cluster: string;
    readonly commonName: string;
    readonly hosts?: readonly string[];
    readonly nowMs: number;
  },
): KeyPair {
  const { authority, cluster, commonName, hosts = [], nowMs } = leaf;
  if (existing && isGood(existing, { authority, nowMs, hosts })) return existing;
  return issueCertificate(
    {
      subject: { commonName },
      ...(hosts.length > 0 ? { usage: 'server', hosts } : { usage: 'client' }),
      notBeforeMs: nowMs - backdateMs,
      notAfterMs: Math.min(nowMs + leafMs, endOf(newestOf(authority))),
      issuer: { key: authority.key, subject: { commonName: clusterNames(cluster).authority } },
    },
    crypto,
  );
}

/** Returns the host names that clients, the operator and replicas use to connect to the instances. */
function serverHosts(cluster: string, namespace: string): readonly string[] {
  const { readWrite, readOnly, read } = clusterNames(cluster);
  return [readWrite, readOnly, read].flatMap((service) => [
    service,
    `${service}.${namespace}`,
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
  ]);
}

type Authority = Certificates['authority'];

function nextAuthority(
  existing: Authority | undefined,
  { cluster, nowMs }: { readonly cluster: string; readonly nowMs: number },
): Authority {
  const valid = (existing?.bundle ?? []).filter((pem) => isValid(read(pem), nowMs));
  const [newest] = valid;
  if (
    existing &&
    newest !== undefined &&
    endOf(read(newest)) - nowMs > renewAuthorityMs &&
    fits(newest, existing.key)
  ) {
    return valid.length === existing.bundle.length ? existing : { ...existing, bundle: valid };
  }
  const made = issueCertificate(
    {
      subject: { commonName: clusterNames(cluster).authority },
      usage: 'authority',
      notBeforeMs: nowMs - backdateMs,
      notAfterMs: nowMs + authorityMs,
    },
    crypto,
  );
  return { key: made.key, bundle: [made.certificate, ...valid] };
}

function isGood(
  { certificate, key }: KeyPair,
  by: { readonly authority: Authority; readonly nowMs: number; readonly hosts: readonly string[] },
): boolean {
  const leaf = read(certificate);
  const newest = newestOf(by.authority);
  if (!leaf || !newest || !isValid(leaf, by.nowMs) || !fits(certificate, key)) return false;
  if (endOf(leaf) - by.nowMs <= renewLeafMs && endOf(leaf) < endOf(newest)) return false;
  if (by.hosts.some((host) => leaf.checkHost(host) === undefined)) return false;
  if (isSignedBy(leaf, newest)) return true;
  const isDistributed = by.nowMs - startOf(newest) >= overlapMs;
  return !isDistributed && by.authority.bundle.some((pem) => isSignedBy(leaf, read(pem)));
}

function newestOf({ bundle }: Authority): crypto.X509Certificate | undefined {
  return read(bundle[0] ?? '');
}

function isSignedBy(leaf: crypto.X509Certificate, authority: crypto.X509Certificate | undefined): boolean {
  return authority !== undefined && leaf.verify(authority.publicKey);
}

function fits(certificate: string, key: string): boolean {
  try {
    return read(certificate)?.checkPrivateKey(crypto.createPrivateKey(key)) ?? false;
  } catch {
    // Not a key.
    return false;
  }
}

function read(pem: string): crypto.X509Certificate | undefined {
  try {
    return new crypto.X509Certificate(pem);
  } catch {
    // Not a certificate.
    return undefined;
  }
}

function isValid(certificate: crypto.X509Certificate | undefined, nowMs: number): boolean {
  return certificate !== undefined && Date.parse(certificate.validFrom) <= nowMs && endOf(certificate) > nowMs;
}

function startOf(certificate: crypto.X509Certificate): number {
  return Date.parse(certificate.validFrom) + backdateMs;
}

function endOf(certificate: crypto.X509Certificate | undefined): number {
  return certificate === undefined ? 0 : Date.parse(certificate.validTo);
}
