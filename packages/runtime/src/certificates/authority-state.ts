import * as crypto from 'node:crypto';
import { isIP } from 'node:net';
import { issueCertificate } from '@kubewright/apimachinery';
import type { CertificateSubject, KeyPair } from '@kubewright/apimachinery/internal';
import type { AuthorityLifetimes } from './authority-lifetimes.ts';

/** The authority's state, shared by all replicas. */
export interface AuthorityState {
  /** Key of the newest authority, in PEM format. */
  readonly key: string;
  /** Certificates of the authorities that callers should trust, newest first, in PEM format. */
  readonly bundle: readonly string[];
  /** The key pair that the servers present. */
  readonly serving: KeyPair;
}

/** Options for {@link nextAuthorityState}. */
export interface AuthorityPolicy extends Required<AuthorityLifetimes> {
  readonly subject: CertificateSubject;
  /** Names and addresses at which clients reach the server. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
  /**
   * True if the current bundle has been injected everywhere. Only callers that have the bundle trust certificates of
   * the newest authority, so a working certificate must not be replaced before the injection.
   */
  readonly isBundleKnown: boolean;
}

/** Certificates become valid slightly in the past, because clocks differ between machines. */
const backdateMs = 3_600_000;

/** Returns the next state, or the same object if nothing is due. Call it repeatedly until nothing is due. */
export function nextAuthorityState(kept: AuthorityState | undefined, policy: AuthorityPolicy): AuthorityState {
  const { nowMs, renewAuthorityMs, overlapMs } = policy;
  const bundle = (kept?.bundle ?? []).flatMap((pem) => readCertificate(pem) ?? []);
  const newest = bundle[0];
  const isUsable = kept && newest && isValid(newest, nowMs) && fits(newest, kept.key);
  if (!isUsable || endOf(newest) - nowMs <= renewAuthorityMs) {
    const believed = bundle.filter((each) => isValid(each, nowMs)).map(String);
    return withAuthority(believed, { kept, policy });
  }
  if (!isServable(kept.serving, { bundle, policy })) return { ...kept, serving: signed(kept, policy) };
  const serving = new crypto.X509Certificate(kept.serving.certificate);
  const isNewest = serving.verify(newest.publicKey);
  const isLate = endOf(serving) - nowMs <= policy.renewServingMs;
  const mayReplace = policy.isBundleKnown && nowMs - madeAt(newest) >= overlapMs;
  if (isNewest ? isLate : mayReplace) return { ...kept, serving: signed(kept, policy) };
  const isAlone = kept.bundle.length === 1;
  if (!isAlone && isNewest && nowMs - madeAt(serving) >= overlapMs) return { ...kept, bundle: kept.bundle.slice(0, 1) };
  return kept;
}

/** Adds a new authority in front of the trusted authorities. It signs immediately only if there is no usable certificate. */
function withAuthority(
  believed: readonly string[],
  { kept, policy }: { readonly kept: AuthorityState | undefined; readonly policy: AuthorityPolicy },
): AuthorityState {
  const made = issueCertificate(
    {
      subject: policy.subject,
      usage: 'authority',
      notBeforeMs: policy.nowMs - backdateMs,
      notAfterMs: policy.nowMs + policy.authorityMs,
    },
    crypto,
  );
  const state = { key: made.key, bundle: [made.certificate, ...believed] };
  const certificates = believed.flatMap((pem) => readCertificate(pem) ?? []);
  const stays = kept && isServable(kept.serving, { bundle: certificates, policy });
  return { ...state, serving: stays ? kept.serving : signed(state, policy) };
}

function signed(state: Pick<AuthorityState, 'key' | 'bundle'>, policy: AuthorityPolicy): KeyPair {
  const authority = new crypto.X509Certificate(state.bundle[0] ?? '');
  return issueCertificate(
    {
      subject: { commonName: policy.hosts[0] ?? 'webhook' },
      usage: 'server',
      hosts: policy.hosts,
      notBeforeMs: policy.nowMs - backdateMs,
      notAfterMs: Math.min(policy.nowMs + policy.servingMs, endOf(authority)),
      issuer: { key: state.key, subject: policy.subject },
    },
    crypto,
  );
}

/** Reports whether callers that trust the bundle accept the certificate under every name. */
function isServable(
  pair: KeyPair,
  by: { readonly bundle: readonly crypto.X509Certificate[]; readonly policy: AuthorityPolicy },
): boolean {
  const { hosts, nowMs } = by.policy;
  const certificate = readCertificate(pair.certificate);
  return (
    certificate !== undefined &&
    isValid(certificate, nowMs) &&
    fits(certificate, pair.key) &&
    by.bundle.some((authority) => isValid(authority, nowMs) && certificate.verify(authority.publicKey)) &&
    hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined)
  );
}

function fits(certificate: crypto.X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(crypto.createPrivateKey(key));
  } catch {
    // Treat text that is not a key as a missing key.
    return false;
  }
}

function readCertificate(pem: string): crypto.X509Certificate | undefined {
  try {
    return new crypto.X509Certificate(pem);
  } catch {
    // Treat text that is not a certificate as a missing certificate.
    return undefined;
  }
}

function isValid(certificate: crypto.X509Certificate, nowMs: number): boolean {
  return Date.parse(certificate.validFrom) <= nowMs && endOf(certificate) > nowMs;
}

function madeAt(certificate: crypto.X509Certificate): number {
  return Date.parse(certificate.validFrom) + backdateMs;
}

function endOf(certificate: crypto.X509Certificate): number {
  return Date.parse(certificate.validTo);
}
