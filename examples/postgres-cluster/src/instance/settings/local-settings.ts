import type { ClusterAccess } from '../cluster/cluster-access.ts';
import type { InstanceEnvironment } from '../environment.ts';
import type { InstanceArchive } from '../instance-archive.ts';
import type { QuorumKeeper } from '../quorum/quorum-keeper.ts';
import type { UpstreamConnections } from '../server/upstream-connections.ts';
import type { Sql } from '../sql/sql-session.ts';
import type { HbaKeeper, WantedHba } from './hba-keeper.ts';
import type { SettingsKeeper } from './settings-keeper.ts';
import { storageBytes } from './storage-bytes.ts';
import { timelineOfPrimary } from './timeline-of-primary.ts';

export interface LocalSettingsOptions {
  readonly environment: InstanceEnvironment;
  readonly access: ClusterAccess;
  readonly archive: InstanceArchive;
  readonly connections: UpstreamConnections;
  readonly quorum: QuorumKeeper;
  readonly keeper: SettingsKeeper;
  readonly hba: HbaKeeper;
}

/** Builds and applies the server's configuration, from the cluster's spec and the instance's role. */
export class LocalSettings {
  readonly #options: LocalSettingsOptions;
  /** Minimum values of a standby's settings. */
  floors: Readonly<Record<string, number>> = {};

  constructor(options: LocalSettingsOptions) {
    this.#options = options;
  }

  /** Writes the configuration of a server that streams from `upstream`. Returns true if the server must reload it. */
  async apply(upstream: string | undefined, signal: AbortSignal): Promise<boolean> {
    const { environment, access, archive, connections, quorum, keeper, hba } = this.#options;
    const { parameters = {}, backup } = access.cluster?.spec ?? {};
    const version = access.cluster?.status?.version ?? access.cluster?.spec.version ?? '15';
    const { name, address, socketDirectory } = environment;
    const newestTimeline = timelineOfPrimary(access.cluster?.status, name);
    const input = {
      parameters,
      name,
      address,
      socketDirectory,
      certificates: connections.certificateFolder,
      synchronous: quorum.standbys,
      upstream: upstream === undefined ? undefined : connections.replication(upstream),
      floors: this.floors,
      volumeBytes: storageBytes(access.cluster),
    };
    const archived = await archive.settings(backup, { major: Number(version), newestTimeline });
    return keeper.apply({ ...input, ...archived }, { hba: await hba.content(this.#hba), signal });
  }

  /** Lets the running server check changed lines of pg_hba.conf, for the next `apply`. */
  check(sql: Sql): Promise<void> {
    return this.#options.hba.check(this.#hba, sql);
  }

  /** Reason why the requested settings or lines of pg_hba.conf are not in effect, if they are not. */
  get error(): string | undefined {
    const { keeper, hba } = this.#options;
    const reasons = [keeper.error, hba.error].filter((reason) => reason !== undefined);
    return reasons.length > 0 ? reasons.join('; ') : undefined;
  }

  get #hba(): WantedHba {
    const { hba: lines = [], superuserAccess = false } = this.#options.access.cluster?.spec ?? {};
    return { lines, superuserAccess };
  }
}
