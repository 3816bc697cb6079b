import { replicationUser } from '../protocol.ts';
import type { KeyPair } from '../status/certificates.ts';
import { type Sql, SqlSession } from './sql-session.ts';

/** A replica's SQL connection to its primary, as the replication role. */
export class PrimarySessions implements AsyncDisposable {
  #session: { readonly address: string; readonly client: KeyPair; readonly sql: Sql } | undefined;

  /**
   * Returns a session with the server at an address. Closes the previous session if the address or the certificate has changed.
   */
  async at(address: string, client: KeyPair): Promise<Sql> {
    if (this.#session?.address === address && this.#session.client === client) return this.#session.sql;
    await this[Symbol.asyncDispose]();
    const { certificate: cert, key, authorities: ca } = client;
    const sql = new SqlSession({
      host: address,
      user: replicationUser,
      database: 'postgres',
      // The certificate is valid for the names of the Services, not for this address. It suffices to trust only the
      // cluster's own authority.
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
