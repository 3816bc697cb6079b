import type { CredentialProvider } from '../transport/credentials.ts';
import type { ServerTrust } from '../transport/http/http-options.ts';

/**
 * The configuration for one API server and one user: addresses, certificates, credentials.
 *
 * @example
 * ```ts
 * const { server }: ClientConfig = await loadClientConfig();
 * ```
 */
export interface ClientConfig {
  readonly server: string;
  readonly namespace: string;
  readonly trust: ServerTrust;
  readonly credentials: CredentialProvider;
  /** Impersonation headers; a list is sent as repeated headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly proxyUrl?: string | undefined;
  /** True to request compressed responses. @defaultValue the transport's default */
  readonly compression?: boolean | undefined;
  /** The origin of this configuration, for messages: the kubeconfig's path and context, or `in-cluster`. */
  readonly source: string;
}
