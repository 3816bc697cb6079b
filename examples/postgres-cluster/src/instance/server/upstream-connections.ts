import type { ClusterAccess } from '../cluster/cluster-access.ts';
import type { InstanceEnvironment } from '../environment.ts';
import { slotOf } from '../settings/settings-file.ts';
import { PrimarySessions } from '../sql/primary-sessions.ts';
import type { Sql } from '../sql/sql-session.ts';
import { createSlot } from '../sql/upstream.ts';
import type { InstanceCertificates } from '../status/certificates.ts';
import { replicationConnection } from './connection.ts';

export interface UpstreamConnectionsOptions {
  readonly environment: InstanceEnvironment;
  readonly access: ClusterAccess;
  readonly certificates: () => InstanceCertificates;
  /** Folder with the certificates for PostgreSQL's programs. */
  readonly certificateFolder: string;
}

/** A standby's connections to the instance that it clones or streams from. */
export class UpstreamConnections implements AsyncDisposable {
  readonly #options: UpstreamConnectionsOptions;
  readonly #sessions = new PrimarySessions();

  constructor(options: UpstreamConnectionsOptions) {
    this.#options = options;
  }

  /** Folder with the certificates for PostgreSQL's programs. */
  get certificateFolder(): string {
    return this.#options.certificateFolder;
  }

  /** Returns a SQL session with an instance. @throws Error if its address is not known yet */
  session(instance: string): Promise<Sql> {
    return this.#sessions.at(this.#addressOf(instance), this.#options.certificates().client);
  }

  /**
   * Returns the connection string and the slot for replicating from an instance. @throws Error if its address is not known yet
   */
  replication(instance: string): { readonly connection: string; readonly slot: string } {
    const { environment, certificateFolder: certificates } = this.#options;
    const { name } = environment;
    const connection = replicationConnection({ address: this.#addressOf(instance), name, certificates });
    return { connection, slot: slotOf(name) };
  }

  /** Creates this instance's slot on another instance, which then retains WAL for it. */
  async createSlot(instance: string): Promise<void> {
    await createSlot(await this.session(instance), this.#options.environment.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
  }

  #addressOf(instance: string): string {
    const address = this.#options.access.addressOf(instance);
    if (address === undefined) throw new Error(`waiting for the address of ${instance}`);
    return address;
  }
}
