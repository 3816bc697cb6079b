import { replicationUser } from '../protocol.ts';
import type { KeyPair } from '../status/certificates.ts';
import { type Sql, SqlSession } from './sql-session.ts';

/** The connection of a replica to its primary, as the role of the replicas. */
export class PrimarySessions implements AsyncDisposable {
  #session: { readonly address: string; readonly client: KeyPair; readonly sql: Sql } | undefined;

  /** Returns a session with the server at an address. The previous one is closed if the address or the certificate differs. */
  async at(address: string, client: KeyPair): Promise<Sql> {
    if (this.#session?.address === address && this.#session.client === client) return this.#session.sql;
    await this[Symbol.asyncDispose]();
    const { certificate: cert, key, authorities: ca } = client;
    const sql = new SqlSession({
      host: address,
      user: replicationUser,
      database: 'postgres',
      // Signed by the cluster's own authority; the certificate names the Services, and not this address.
      ssl: { cert, key, ca, checkServerIdentity: () => undefined },
    });
    this.#session = { address, client, sql };
    return sql;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.sql[Symbol.asyncDispose]();
    this.#session = undefined;
  }
}
