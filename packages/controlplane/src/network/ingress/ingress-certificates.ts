import * as crypto from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Clock, issueCertificate } from '@kubewright/apimachinery';
import type { Secret } from '@kubewright/apimachinery/core/v1';
import type { TlsTable } from './ingress-tls.ts';

/** Returns a Secret of type `kubernetes.io/tls`. */
export type TlsSecretOf = (key: { readonly namespace: string; readonly name: string }) => Secret | undefined;

/** Options for {@link IngressCertificates}. */
export interface IngressCertificatesOptions {
  readonly clock: Clock;
  readonly hosts: TlsTable;
  readonly secret: TlsSecretOf;
}

/** Length of a year, in milliseconds. */
const yearMs = 365 * 86_400_000;

/**
 * The certificates with which Ingresses are served. Secrets are read when clients connect, so a renewed certificate is
 * used immediately. Hosts without a valid certificate get a self-signed certificate, as with other Ingress controllers.
 */
export class IngressCertificates {
  readonly #options: IngressCertificatesOptions;
  readonly #contexts = new Map<string, { readonly version: string | undefined; readonly context: SecureContext }>();
  /** The default certificate, for hosts without a certificate and for clients that send no name. */
  readonly fallback: ReturnType<typeof issueCertificate>;
  #fallbackContext: SecureContext | undefined;

  constructor(options: IngressCertificatesOptions) {
    this.#options = options;
    this.fallback = selfSigned(options.clock.now());
  }

  /** Returns the certificate and key for the server name that a client sends. */
  contextOf(serverName: string): SecureContext {
    const found = this.#options.hosts.find(serverName);
    const own = found && this.#contextIn({ namespace: found.namespace, name: found.secretName });
    if (own) return own;
    this.#fallbackContext ??= createSecureContext({ key: this.fallback.key, cert: this.fallback.certificate });
    return this.#fallbackContext;
  }

  #contextIn(key: { readonly namespace: string; readonly name: string }): SecureContext | undefined {
    const id = `${key.namespace}/${key.name}`;
    const secret = this.#options.secret(key);
    if (!secret) {
      this.#contexts.delete(id);
      return undefined;
    }
    const version = secret.metadata.resourceVersion;
    const known = this.#contexts.get(id);
    if (known?.version === version) return known?.context;
    const context = tlsContextOf(secret);
    if (context) this.#contexts.set(id, { version, context });
    return context;
  }
}

function selfSigned(nowMs: number): ReturnType<typeof issueCertificate> {
  const subject = { commonName: 'Kubewright Ingress', organizations: ['Self-signed'] };
  const life = { notBeforeMs: nowMs - 3_600_000, notAfterMs: nowMs + 10 * yearMs };
  return issueCertificate({ subject, usage: 'server', hosts: ['ingress.local'], ...life }, crypto);
}

/** Returns the certificate and key of a Secret; undefined if they are missing or do not match. */
export function tlsContextOf({ data = {} }: Secret): SecureContext | undefined {
  const [cert, key] = ['tls.crt', 'tls.key'].map((name) => Buffer.from(data[name] ?? '', 'base64').toString());
  if (!cert || !key) return undefined;
  try {
    return createSecureContext({ cert, key });
  } catch {
    // The data is not PEM, or the key belongs to another certificate. An event about the Ingress reports it.
    return undefined;
  }
}
