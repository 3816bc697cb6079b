import type { SigningRequest } from '@kubewright/apimachinery/internal';

/** Names of kube-controller-manager's signers, which sign with the cluster's CA. */
export const kubeletServing = 'kubernetes.io/kubelet-serving';
export const kubeletClient = 'kubernetes.io/kube-apiserver-client-kubelet';
export const apiServerClient = 'kubernetes.io/kube-apiserver-client';
export const legacyUnknown = 'kubernetes.io/legacy-unknown';

/** A parsed signing request, and the key usages that its CertificateSigningRequest requests. */
export interface WantedCertificate {
  readonly request: Pick<SigningRequest, 'commonName' | 'organizations' | 'names'>;
  readonly usages: readonly string[];
}

/** Returns why a signer rejects a request, or undefined if it accepts the request. */
type SignerRule = (wanted: WantedCertificate) => string | undefined;

/** The rule of each signer, by signer name. The messages are upstream's (1.36). */
export const signerRules: ReadonlyMap<string, SignerRule> = new Map<string, SignerRule>([
  [kubeletServing, kubeletServingFault],
  [kubeletClient, kubeletClientFault],
  [apiServerClient, apiServerClientFault],
  [legacyUnknown, () => undefined],
]);

const nodesGroup = 'system:nodes';
const nodePrefix = 'system:node:';

function kubeletServingFault({ request, usages }: WantedCertificate): string | undefined {
  const { names } = request;
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (names.dns + names.ip === 0) return 'DNS or IP subjectAltName is required';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  if (!isFor('server auth', usages)) return 'usages did not match [digital signature key encipherment server auth]';
  return request.commonName.startsWith(nodePrefix) ? undefined : 'subject common name does not begin with system:node:';
}

function kubeletClientFault({ request, usages }: WantedCertificate): string | undefined {
  const { names } = request;
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (names.dns > 0) return 'DNS subjectAltNames are not allowed';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.ip > 0) return 'IP subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  if (!request.commonName.startsWith(nodePrefix)) return 'subject common name does not begin with system:node:';
  return isFor('client auth', usages)
    ? undefined
    : 'usages did not match [client auth digital signature key encipherment]';
}

function apiServerClientFault({ usages }: WantedCertificate): string | undefined {
  const allowed = ['digital signature', 'key encipherment', 'client auth'];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

function isOfNodes({ organizations }: WantedCertificate['request']): boolean {
  return organizations.length === 1 && organizations[0] === nodesGroup;
}

/** True if the usages are exactly this usage and `digital signature`, with or without `key encipherment`. */
function isFor(usage: string, usages: readonly string[]): boolean {
  const rest = new Set(usages);
  const isComplete = rest.delete(usage) && rest.delete('digital signature');
  rest.delete('key encipherment');
  return isComplete && rest.size === 0;
}

const minuteMs = 60_000;
const backdateMs = 5 * minuteMs;
/** Lifetimes below this limit count from now, so backdating does not shorten them. */
const shortMs = 480 * minuteMs;
const shortestMs = 10 * minuteMs;
/** The longest lifetime: one year (`--cluster-signing-duration`). */
const longestMs = 365 * 24 * 60 * minuteMs;

/**
 * Returns the validity period of a certificate that is signed now. The certificate never outlives the authority's certificate.
 */
export function validity(
  expirationSeconds: number | undefined,
  { nowMs, authorityEndsMs }: { readonly nowMs: number; readonly authorityEndsMs: number },
): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  const wantedMs = expirationSeconds === undefined ? longestMs : expirationSeconds * 1_000;
  const lifetimeMs = Math.min(Math.max(wantedMs, shortestMs), longestMs);
  const endMs = nowMs + (lifetimeMs < shortMs ? lifetimeMs : lifetimeMs - backdateMs);
  return { notBeforeMs: nowMs - backdateMs, notAfterMs: Math.min(endMs, authorityEndsMs) };
}
