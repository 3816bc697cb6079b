/** The rules by which a cluster's servers authenticate callers: the content of `extension-apiserver-authentication`. */
export interface AuthenticationTrust {
  /** CA of users' client certificates, in PEM format; empty if none exists. */
  readonly clientCa: string;
  /** CA of the certificate that the API server presents when it forwards requests; empty if it forwards none. */
  readonly requestHeaderCa: string;
  /** Common names allowed in the API server's certificate; an empty list allows all names. */
  readonly allowedNames: readonly string[];
  /** Names of the headers that carry the caller's identity, in lower case. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Trusts no certificate. */
export const noTrust: AuthenticationTrust = {
  clientCa: '',
  requestHeaderCa: '',
  allowedNames: [],
  usernameHeaders: [],
  uidHeaders: [],
  groupHeaders: [],
  extraHeaderPrefixes: [],
};

/** Reads the data of the ConfigMap. */
export function readTrust(data: Readonly<Record<string, string>>): AuthenticationTrust {
  const list = (key: string): readonly string[] => {
    const value: unknown = JSON.parse(data[key] ?? '[]');
    return Array.isArray(value) ? value.map(String) : [];
  };
  const headers = (key: string): readonly string[] => list(key).map((name) => name.trim().toLowerCase());
  return {
    clientCa: data['client-ca-file'] ?? '',
    requestHeaderCa: data['requestheader-client-ca-file'] ?? '',
    allowedNames: list('requestheader-allowed-names'),
    usernameHeaders: headers('requestheader-username-headers'),
    uidHeaders: headers('requestheader-uid-headers'),
    groupHeaders: headers('requestheader-group-headers'),
    extraHeaderPrefixes: headers('requestheader-extra-headers-prefix'),
  };
}
