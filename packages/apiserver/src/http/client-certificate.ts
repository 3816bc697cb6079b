import type { TLSSocket } from 'node:tls';
import type { ClientCertificate, Connection } from './api-request.ts';

/** Describes a connection whose TLS handshake is complete. */
export function describeConnection(socket: TLSSocket, protocol: 'h2' | 'http/1.1'): Connection {
  const connection: Connection = { remoteAddress: socket.remoteAddress ?? '', protocol };
  const certificate = socket.getPeerCertificate();
  // Node returns an empty object when the client sent no certificate.
  if (!certificate?.raw) return connection;
  if (!socket.authorized) {
    return { ...connection, clientCertificateError: String(socket.authorizationError ?? 'not verified') };
  }
  const { CN, O } = certificate.subject as { readonly CN?: unknown; readonly O?: unknown } as CertificateSubject;
  const subject: ClientCertificate = {
    commonName: first(CN) ?? '',
    organizations: O === undefined ? [] : [O].flat(),
    der: certificate.raw,
  };
  return { ...connection, clientCertificate: subject };
}

/** A subject as Node returns it: an attribute that occurs several times is an array. */
interface CertificateSubject {
  readonly CN?: string | readonly string[];
  readonly O?: string | readonly string[];
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
