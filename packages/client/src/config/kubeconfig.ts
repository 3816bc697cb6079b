/** A parsed kubeconfig, with entries by name and absolute paths. The fields match `kubectl config view --raw`. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

export interface ClusterEntry {
  readonly server?: string | undefined;
  readonly certificateAuthority?: string | undefined;
  /** Base64-encoded PEM. */
  readonly certificateAuthorityData?: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly disableCompression: boolean;
  /** Passed to plugins that request cluster information. */
  readonly execConfig?: unknown;
}

export interface UserEntry {
  readonly clientCertificate?: string | undefined;
  readonly clientCertificateData?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly clientKeyData?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly impersonate?: Impersonation | undefined;
  readonly exec?: ExecEntry | undefined;
  /** Name of a legacy auth provider, which no current client supports. */
  readonly authProvider?: string | undefined;
}

/** The user to impersonate (`as`, `as-uid`, `as-groups`, `as-user-extra`). */
export interface Impersonation {
  readonly user?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A credential plugin. */
export interface ExecEntry {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint?: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always' | undefined;
}

export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string | undefined;
}

/** Merges kubeconfigs in order: the first definition of each name, and of the current context, wins. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const clusters = new Map<string, ClusterEntry>();
  const users = new Map<string, UserEntry>();
  const contexts = new Map<string, ContextEntry>();
  for (const config of configs) {
    addMissing(clusters, config.clusters);
    addMissing(users, config.users);
    addMissing(contexts, config.contexts);
  }
  const currentContext = configs.find((config) => config.currentContext)?.currentContext;
  return { currentContext, clusters, users, contexts };
}

function addMissing<E>(into: Map<string, E>, from: ReadonlyMap<string, E>): void {
  for (const [name, entry] of from) if (!into.has(name)) into.set(name, entry);
}
