import { isIPv6 } from 'node:net';

/** The system's error messages by Node's error code. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EACCES: 'connect: permission denied',
  ETIMEDOUT: 'connect: connection timed out',
};

/**
 * Returns the kubelet's message for a failed connection, because people and tools that read events expect its wording: `dial tcp
 * 10.0.0.1:5432: connect: connection refused`, `dial tcp: lookup db: no such host`, `EOF`.
 */
export function networkFault(error: unknown, target: { readonly host: string; readonly port: number }): string {
  const { code, syscall } = factsOf(error);
  const address = hostPort(target);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${target.host}: no such host`;
  const known = words[code];
  if (known !== undefined) return `dial tcp ${address}: ${known}`;
  // If the server closes the connection before it responds, Node's error has no system call.
  if (code === 'ECONNRESET')
    return syscall === undefined ? 'EOF' : `read tcp ${address}: read: connection reset by peer`;
  if (code === 'EPIPE') return `write tcp ${address}: write: broken pipe`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') {
    return 'http: server gave HTTP response to HTTPS client';
  }
  return error instanceof Error ? error.message : String(error);
}

/** Joins host and port; IPv6 addresses are put in brackets. */
export function hostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function factsOf(error: unknown): { readonly code: string; readonly syscall: string | undefined } {
  if (!(error instanceof Error)) return { code: '', syscall: undefined };
  // Node's system errors have both fields; other errors have neither.
  const { code, syscall } = error as NodeJS.ErrnoException;
  return { code: typeof code === 'string' ? code : '', syscall };
}
