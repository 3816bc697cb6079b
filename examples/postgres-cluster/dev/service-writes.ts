import { setTimeout } from 'node:timers/promises';
import type { KubernetesClient } from '@kubewright/client';
import type pg from 'pg';
import { connectToPrimary } from './service-client.ts';

const timeoutMs = 2_000;

/** Inserts rows into the table `orders` through the primary's Service, and records the acknowledged rows. */
export class ServiceWrites implements AsyncDisposable {
  readonly #client: KubernetesClient;
  readonly #key: { readonly namespace: string; readonly name: string };
  readonly #acknowledged: number[] = [];
  readonly #run: Promise<void>;
  #next: number;
  #isOver = false;

  /** @param options - `from`: the first id to insert; later rows use the following ids */
  constructor(
    client: KubernetesClient,
    { from, ...key }: { readonly namespace: string; readonly name: string; readonly from: number },
  ) {
    this.#client = client;
    this.#key = key;
    this.#next = from;
    this.#run = this.#write();
  }

  get acknowledged(): readonly number[] {
    return this.#acknowledged;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#run;
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      let connection: pg.Client | undefined;
      try {
        connection = await connectToPrimary(this.#client, { ...this.#key, timeoutMs });
        while (!this.#isOver) {
          const id = this.#next++;
          await connection.query('INSERT INTO orders VALUES ($1)', [id]);
          this.#acknowledged.push(id);
        }
      } catch {
        // The primary is down, or another instance was promoted.
        await setTimeout(20);
      } finally {
        // Not awaited: a dead server would never close the connection.
        void connection?.end().catch(() => undefined);
      }
    }
  }
}
