import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { ManagerOptions } from './manager-options.ts';
import type { Runnable } from './runnable.ts';

/**
 * Owns what controllers share (client, cache, servers, leadership) and starts and stops it in order.
 *
 * @example
 * ```ts
 * await new Manager({ controllers: [postgresql] }).run();
 * ```
 */
export declare class Manager implements AsyncDisposable {
  constructor(options: ManagerOptions);
  readonly client: KubernetesClient;
  readonly cache: Cache;
  /** Adds a runnable; started at once when the manager runs. */
  add(runnable: Runnable): void;
  /** Runs until stopped: by the signal, by SIGINT or SIGTERM, or by a failure, which is thrown. */
  run(): Promise<void>;
  /** Resolves when caches are synced and controllers run. */
  started(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
