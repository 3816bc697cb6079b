import type { RequestContext } from '@kubewright/runtime';
import type { HandlerContext } from '@kubewright/runtime/internal';

/** One unit of work. Each reconcile runs one unit. */
export type Work = (ctx: RequestContext) => Promise<void>;

/** The number of pods that can be bound, or whose failures can be reported, at the same time. */
export const workerCount = 24;

/**
 * Distributes work over the controller's workers. The reconcile requests name workers, not objects: a worker takes the most
 * urgent work at the time it runs.
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

  /** Starts to enqueue reconcile requests for idle workers. */
  start(context: HandlerContext): void {
    this.#context = context;
    this.wake();
  }

  /** Adds work that runs before the next pod is scheduled. */
  add(work: Work): void {
    this.#urgent.push(work);
    this.wake();
  }

  /** Enqueues a request for an idle worker if there is work. */
  wake(): void {
    if (!this.#context || (this.#urgent.length === 0 && !this.#hasMore())) return;
    const name = this.#idle.pop();
    if (name !== undefined) this.#context.enqueue({ name });
  }

  /** Runs one unit of work as the given worker. */
  async run(name: string, ctx: RequestContext): Promise<void> {
    try {
      const work = this.#urgent.shift() ?? this.#next();
      // Lets other workers run while this one waits for the API server.
      this.wake();
      await work?.(ctx);
    } finally {
      this.#idle.push(name);
      this.wake();
    }
  }
}
