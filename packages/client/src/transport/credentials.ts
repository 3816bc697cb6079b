/**
 * Credentials that authenticate the client to the server.
 *
 * @example
 * ```ts
 * const credentials: ClientCredentials = { authorization: `Bearer ${process.env['TOKEN']}` };
 * const transport = new HttpTransport({ server: 'https://10.0.0.1:6443', credentials: staticCredentials(credentials) });
 * ```
 */
export interface ClientCredentials {
  /** Value of the `authorization` header, such as `Bearer …`. */
  readonly authorization?: string | undefined;
  /** Client certificate and key, in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Provides credentials for each request; caches, renews and rereads them as needed. Safe for concurrent calls. */
export interface CredentialProvider {
  get(options: { readonly signal?: AbortSignal | undefined }): Promise<ClientCredentials>;
  /**
   * Called when the server has returned 401 for `credentials`. Returns true if the next {@link CredentialProvider.get}
   * may return different credentials; the transport then sends the request a second time.
   */
  reject(credentials: ClientCredentials): boolean;
}

/**
 * Creates a provider of credentials that never change.
 *
 * @example
 * ```ts
 * const credentials: CredentialProvider = staticCredentials({ authorization: 'Bearer secret' });
 * ```
 */
export function staticCredentials(credentials: ClientCredentials): CredentialProvider {
  return { get: async () => credentials, reject: () => false };
}
