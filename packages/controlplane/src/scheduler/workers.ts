import type { RequestContext } from '@kubewright/runtime';
import type { HandlerContext } from '@kubewright/runtime/internal';

/** Work for a reconcile; each reconcile does one piece. */
export type Work = (ctx: RequestContext) => Promise<void>;

/** Number of pods that are bound, or whose failure is reported, at the same time. */
export const workerCount = 24;

/**
 * Distributes work over the controller's workers. Its requests are names of workers, not keys of objects: a worker that runs takes
 * the most urgent work at that time.
 */
export class Workers {
  readonly #next: () => Work | undefined;
  readonly #hasMore: () => boolean;
  readonly #urgent: Work[] = [];
  readonly #idle: string[] = Array.from({ length: workerCount }, (_, i) => `worker-${i + 1}`);
  #context: HandlerContext | undefined;

  constructor(source: { readonly next: () => Work | undefined; readonly hasMore: () => boolean }) {
    this.#next = source.next;
    this.#hasMore = source.hasMore;
  }

  /** Starts requesting workers. */
  start(context: HandlerContext): void {
    this.#context = context;
    this.wake();
  }

  /** Adds work that is done before the next pod. */
  add(work: Work): void {
    this.#urgent.push(work);
    this.wake();
  }

  /** Requests a worker if there is work and one is idle. */
  wake(): void {
    if (!this.#context || (this.#urgent.length === 0 && !this.#hasMore())) return;
    const name = this.#idle.pop();
    if (name !== undefined) this.#context.enqueue({ name });
  }

  /** Does one piece of work as the given worker. */
  async run(name: string, ctx: RequestContext): Promise<void> {
    try {
      const work = this.#urgent.shift() ?? this.#next();
      // Others may work while this one waits for a response of the API server.
      this.wake();
      await work?.(ctx);
    } finally {
      this.#idle.push(name);
      this.wake();
    }
  }
}
