/** Authenticates a user to a registry. */
export type Credential =
  | { readonly type: 'password'; readonly username: string; readonly password: string }
  /** A refresh token, which is exchanged for access tokens. */
  | { readonly type: 'identityToken'; readonly token: string }
  /** An access token. */
  | { readonly type: 'registryToken'; readonly token: string };
