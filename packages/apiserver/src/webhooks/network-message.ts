import type { TLSSocket } from 'node:tls';

interface NetworkError extends Error {
  readonly code?: string;
  readonly errors?: readonly NetworkError[];
  readonly address?: string;
  readonly port?: number;
  readonly host?: string;
  readonly cert?: ReturnType<TLSSocket['getPeerCertificate']>;
}

const unverified = 'tls: failed to verify certificate: x509: ';
const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** Returns kube-apiserver's message for a network error of a webhook call. */
export function networkMessage(
  error: Error,
  { hostname, port }: { readonly hostname: string; readonly port: number },
): string {
  const failure = first(error);
  const { code = '', message } = failure;
  const to = `dial tcp ${failure.address ?? hostname}:${failure.port ?? port}`;
  if (unknownAuthority.has(code)) return `${unverified}certificate signed by unknown authority`;
  switch (code) {
    case 'ECONNREFUSED':
      return `${to}: connect: connection refused`;
    case 'ETIMEDOUT':
      return `${to}: i/o timeout`;
    case 'EHOSTUNREACH':
      return `${to}: connect: no route to host`;
    case 'ENETUNREACH':
      return `${to}: connect: network is unreachable`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${unverified}certificate has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${unverified}${nameMismatch(failure)}`;
    default:
      return message;
  }
}

/** Returns the first error. A name with several addresses fails with one error per address. */
function first(error: NetworkError): NetworkError {
  return error.errors?.[0] ?? error;
}

function nameMismatch({ host = '', cert }: NetworkError): string {
  const names = (cert?.subjectaltname ?? '').split(', ');
  const isAddress = /^[\d.]+$|:/.test(host);
  const prefix = isAddress ? 'IP Address:' : 'DNS:';
  const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  if (own.length > 0) return `certificate is valid for ${own.join(', ')}, not ${host}`;
  if (isAddress) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${host}`;
}
