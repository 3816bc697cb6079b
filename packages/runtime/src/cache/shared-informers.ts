import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';
import { InformerPool } from './informer-pool.ts';

/** Options for {@link SharedInformers}. */
export interface SharedInformersOptions {
  /** Client for the lists and watches of all managers. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /**
   * Limit on decoded objects, in bytes of their JSON.
   * @defaultValue 8 MiB, and 1/96 of the heap limit for objects that had to be decoded again after they were evicted
   */
  readonly decodedBytes?: number | undefined;
}

let poolOf: (informers: SharedInformers) => InformerPool;

/**
 * Informers that the managers of one process share, so that each object is received, kept and decoded once. An informer runs until
 * the last manager that uses it has stopped. Mirrors client-go's `SharedInformerFactory`.
 *
 * Each manager's reads show the writes of all managers, except writes whose response does not contain the object, such
 * as bindings. Managed fields are not kept, so managers that apply objects need their own informers.
 */
export class SharedInformers implements AsyncDisposable {
  readonly #pool: InformerPool;

  static {
    poolOf = (informers) => informers.#pool;
  }

  constructor(options: SharedInformersOptions) {
    this.#pool = new InformerPool(options);
  }

  /** Stops all informers. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}

/** Returns the pool behind the informers; a function, because the pool is not part of the public API. */
export function informerPool(informers: SharedInformers): InformerPool {
  return poolOf(informers);
}
