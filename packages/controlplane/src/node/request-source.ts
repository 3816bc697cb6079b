import type { ReconcileRequest, Source } from '@kubewright/runtime';
import type { HandlerContext } from '@kubewright/runtime/internal';

/** A source of the requests that the node agent makes itself: some at the start, others later. */
export class RequestSource implements Source {
  readonly name = 'agent';
  readonly #initial: readonly ReconcileRequest[];
  #queue: HandlerContext | undefined;

  constructor(initial: readonly ReconcileRequest[] = []) {
    this.#initial = initial;
  }

  async start(queue: HandlerContext): Promise<void> {
    this.#queue = queue;
    for (const request of this.#initial) queue.enqueue(request);
  }

  /** Queues a request. Does nothing before the controller has started. */
  enqueue(request: ReconcileRequest): void {
    this.#queue?.enqueue(request);
  }
}
