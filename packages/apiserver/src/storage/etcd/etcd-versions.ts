/** Requests the version of one server. */
export type QueryVersion = (server: string) => Promise<string>;

/**
 * Tracks the versions of all etcd servers, to decide whether their progress notifications can be trusted. A server that has not
 * responded yet counts as old, and is queried again.
 */
export class EtcdVersions {
  readonly #query: QueryVersion;
  /** By server: true if its notifications can be trusted, undefined while it has not responded. */
  readonly #servers: Map<string, boolean | undefined>;
  #querying: Promise<void> | undefined;

  constructor(servers: readonly string[], query: QueryVersion) {
    this.#query = query;
    this.#servers = new Map(servers.map((server) => [server, undefined]));
  }

  get reportProgress(): boolean {
    return [...this.#servers.values()].every((isNew) => isNew === true);
  }

  /** Queries the servers that have not responded yet. Never rejects. */
  check(): Promise<void> {
    const unknown = [...this.#servers].filter(([, isNew]) => isNew === undefined).map(([server]) => server);
    if (unknown.length === 0) return Promise.resolve();
    this.#querying ??= Promise.allSettled(unknown.map((server) => this.#fetchVersion(server))).then(() => {
      this.#querying = undefined;
    });
    return this.#querying;
  }

  async #fetchVersion(server: string): Promise<void> {
    this.#servers.set(server, reportsProgress(await this.#query(server)));
  }
}

/**
 * Reports whether a version of etcd sends a progress notification only after the preceding changes. In older versions,
 * the notification can overtake changes (https://github.com/etcd-io/etcd/issues/15220 and 17507). Mirrors the check of
 * k8s.io/apiserver (1.36).
 */
export function reportsProgress(version: string): boolean {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  const [major, minor, patch] = numbers.map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
