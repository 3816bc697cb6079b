/** Credentials that prove to the server who is calling. */
export interface ClientCredentials {
  /** Value of the `authorization` header, such as `Bearer …`. */
  readonly authorization?: string | undefined;
  /** Client certificate and key, PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Gives credentials for each request; keeps, renews and re-reads them as it must. Safe for parallel calls. */
export interface CredentialProvider {
  get(options: { readonly signal?: AbortSignal | undefined }): Promise<ClientCredentials>;
  /**
   * Hears that the server answered 401 to `credentials`. True if the next {@link CredentialProvider.get} may give
   * others; then the request is sent once more.
   */
  reject(credentials: ClientCredentials): boolean;
}

/** Credentials that never change. */
export function staticCredentials(credentials: ClientCredentials): CredentialProvider {
  return { get: async () => credentials, reject: () => false };
}
