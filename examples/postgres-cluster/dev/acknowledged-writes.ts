import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { InstanceCluster } from './instance-cluster.ts';
import { queryAt } from './instance-cluster.ts';

/** Inserts rows one at a time, and records the acknowledged rows. */
export class AcknowledgedWrites implements AsyncDisposable {
  readonly #cluster: InstanceCluster;
  readonly #acknowledged: number[] = [];
  readonly #first: number;
  readonly #timeoutMs: number;
  #address: string;
  #next: number;
  #isOver = false;
  #client: pg.Client | undefined;
  readonly #run: Promise<void>;
  /** Number of writes that failed, or were not acknowledged in time. */
  failures = 0;

  private constructor(
    cluster: InstanceCluster,
    instance: string,
    { from, timeoutMs }: { readonly from: number; readonly timeoutMs: number },
  ) {
    this.#cluster = cluster;
    this.#address = cluster.instance(instance).address;
    this.#first = from;
    this.#timeoutMs = timeoutMs;
    this.#next = from;
    this.#run = this.#write();
  }

  /** Starts writing to the table `orders` of an instance. */
  static async start(
    cluster: InstanceCluster,
    instance: string,
    { from, timeoutMs = 2_000 }: { readonly from?: number; readonly timeoutMs?: number } = {},
  ): Promise<AcknowledgedWrites> {
    const first = from ?? cluster.nextOrder();
    return new AcknowledgedWrites(cluster, instance, { from: first, timeoutMs });
  }

  get count(): number {
    return this.#acknowledged.length;
  }

  /** Continues the writes on another instance. */
  async moveTo(instance: string): Promise<void> {
    this.#address = this.#cluster.instance(instance).address;
    this.#disconnect();
  }

  /** Waits for the next acknowledged write. */
  async waitForNext(): Promise<void> {
    const before = this.count;
    while (this.count === before && !this.#isOver) await setTimeout(5);
  }

  /** Returns the acknowledged rows that are missing on an instance. */
  async missingAt(instance: string): Promise<readonly number[]> {
    const { address } = this.#cluster.instance(instance);
    const acknowledged = [...this.#acknowledged];
    const rows = await queryAt(address, `SELECT id FROM orders WHERE id >= ${this.#first}`);
    const found = new Set(rows.map(({ id }) => id));
    return acknowledged.filter((id) => !found.has(id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#disconnect();
    await this.#run;
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      const id = this.#next++;
      try {
        this.#client ??= await this.#connect();
        await this.#client.query('INSERT INTO orders VALUES ($1)', [id]);
        this.#acknowledged.push(id);
      } catch {
        // The server is down, or is no longer the primary.
        this.failures++;
        this.#disconnect();
        await setTimeout(20);
      }
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      host: this.#address,
      user: 'app',
      password: 'secret',
      database: 'app',
      connectionTimeoutMillis: this.#timeoutMs,
      query_timeout: this.#timeoutMs,
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  #disconnect(): void {
    const { connection } = (this.#client ?? {}) as { readonly connection?: { readonly stream: { destroy(): void } } };
    connection?.stream.destroy();
    this.#client = undefined;
  }
}
