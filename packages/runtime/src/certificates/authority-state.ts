import * as crypto from 'node:crypto';
import { isIP } from 'node:net';
import { type CertificateSubject, issueCertificate, type KeyPair } from '@kubewright/apimachinery';
import type { AuthorityLifetimes } from './authority-lifetimes.ts';

/** What replicas share of their own authority. */
export interface AuthorityState {
  /** Key of the newest authority, PEM. */
  readonly key: string;
  /** Certificates of authorities that callers are to believe, the newest first, PEM. */
  readonly bundle: readonly string[];
  /** What the servers answer with. */
  readonly serving: KeyPair;
}

/** What {@link nextAuthorityState} goes by. */
export interface AuthorityPolicy extends Required<AuthorityLifetimes> {
  readonly subject: CertificateSubject;
  /** Names and addresses that the server is called by. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
  /**
   * Whether all callers have been told of the bundle as it is. What the newest authority signs is believed only by those
   * who have heard of it, so it does not replace what still works before.
   */
  readonly isBundleKnown: boolean;
}

/** Clocks of two machines differ; a certificate is valid a little before it was made. */
const backdateMs = 3_600_000;

/** One step on from what is kept; the same object when nothing is due. Call it again until it is. */
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

/** Puts a new authority before those that are believed; it signs at once only if there is nothing to answer with. */
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

/** True while callers that believe the bundle would talk to it under every name. */
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
    // A text that is no key is as good as none.
    return false;
  }
}

function readCertificate(pem: string): crypto.X509Certificate | undefined {
  try {
    return new crypto.X509Certificate(pem);
  } catch {
    // A text that is no certificate is as good as none.
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
