import pg from 'pg';

export type Row = Readonly<Record<string, unknown>>;

/** Runs queries on one server. */
export interface Sql extends AsyncDisposable {
  /** Runs a query; connects first if necessary. @throws Error from the server or the connection */
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Maximum duration of a query and of a connection attempt. */
const timeoutMs = 5_000;

/** A connection that is opened on demand, and reopened after it was lost. Queries run one at a time. */
export class SqlSession implements Sql {
  readonly #config: pg.ClientConfig;
  readonly #onConnected: () => void;
  #client: pg.Client | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param onConnected - called after each connection: the server then responds, even if a query takes too long */
  constructor(config: pg.ClientConfig, onConnected: () => void = () => undefined) {
    this.#onConnected = onConnected;
    this.#config = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs, keepAlive: true, ...config };
  }

  query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const result = this.#last.then(() => this.#run(text, values));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // Fails if the server has already closed the connection.
    await client?.end().catch(() => undefined);
  }

  async #run(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const client = await this.#connected();
    try {
      return (await client.query(text, [...values])).rows;
    } catch (error) {
      // After a server error, the connection remains usable, except for shutdowns (57P) and connection errors (08).
      const isUsable = error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '');
      if (!isUsable) this.#drop(client);
      throw error;
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const client = new pg.Client(this.#config);
    client.on('error', () => this.#drop(client));
    try {
      await client.connect();
    } catch (error) {
      this.#drop(client);
      throw error;
    }
    this.#client = client;
    this.#onConnected();
    return client;
  }

  #drop(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    // `end` would wait for a response that may never arrive.
    const { connection } = client as unknown as { readonly connection?: { readonly stream?: { destroy(): void } } };
    connection?.stream?.destroy();
  }
}
