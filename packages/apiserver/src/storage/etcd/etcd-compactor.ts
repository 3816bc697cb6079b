import { Buffer } from 'node:buffer';
import type { Clock, Timer } from '@kubewright/apimachinery';
import type { EtcdClient } from './etcd-client.ts';

/** Options for {@link EtcdCompactor}. */
export interface EtcdCompactorOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly everyMs: number;
  /** The key that servers compete for. */
  readonly key: Uint8Array;
  readonly onError: (error: unknown) => void;
}

/**
 * Compacts etcd's history periodically. The servers that share an etcd compete for a key, so only one of them compacts at a time.
 * kube-apiserver uses the same key (1.36), so it can be one of the servers.
 */
export class EtcdCompactor implements Disposable {
  readonly #options: EtcdCompactorOptions;
  #timer: Timer | undefined;
  /** The version of the key and etcd's revision at this server's last check. */
  #version = 0;
  #revision = 0;

  constructor(options: EtcdCompactorOptions) {
    this.#options = options;
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #arm(): void {
    const { clock, everyMs, onError } = this.#options;
    const run = (): void => void this.#compact().catch(onError);
    this.#timer = clock.setTimer(everyMs, run, { unref: true });
  }

  async #compact(): Promise<void> {
    this.#arm();
    const { client, key } = this.#options;
    const value = Buffer.from(String(this.#revision));
    const response = await client.txn({
      compare: [{ result: 0, target: 0, key, version: this.#version }],
      success: [{ requestPut: { key, value } }],
      failure: [{ requestRange: { key } }],
    });
    const revision = this.#revision;
    this.#revision = response.header.revision;
    if (!response.succeeded) {
      this.#version = response.responses[0]?.responseRange?.kvs[0]?.version ?? 0;
      return;
    }
    this.#version++;
    // At the first check, no revision is known to be old enough.
    if (revision > 0) await client.compact(revision);
  }
}
