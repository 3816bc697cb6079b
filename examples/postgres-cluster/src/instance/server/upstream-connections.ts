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
  /** Folder with the certificates, for programs of PostgreSQL. */
  readonly certificateFolder: string;
}

/** Connections of a standby to the instance that it copies, or streams from. */
export class UpstreamConnections implements AsyncDisposable {
  readonly #options: UpstreamConnectionsOptions;
  readonly #sessions = new PrimarySessions();

  constructor(options: UpstreamConnectionsOptions) {
    this.#options = options;
  }

  /** Folder with the certificates, for programs of PostgreSQL. */
  get certificateFolder(): string {
    return this.#options.certificateFolder;
  }

  /** @throws Error if the address of the instance is not known yet */
  session(instance: string): Promise<Sql> {
    return this.#sessions.at(this.#addressOf(instance), this.#options.certificates().client);
  }

  /** Returns the connection and the slot for programs of PostgreSQL. @throws Error if the address is not known yet */
  replication(instance: string): { readonly connection: string; readonly slot: string } {
    const { environment, certificateFolder: certificates } = this.#options;
    const { name } = environment;
    const connection = replicationConnection({ address: this.#addressOf(instance), name, certificates });
    return { connection, slot: slotOf(name) };
  }

  /** Creates the slot in which an instance keeps WAL for this one. */
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
