import { once } from 'node:events';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from '@kubewright/client';

/** A node's connection to the API server, which tests can cut. */
export class NodeLink {
  /** Aborted while the connection is cut. */
  #cut = new AbortController();
  /** Aborted when the agent continues; undefined while it runs. */
  #stopped: AbortController | undefined;

  /** Ends the node's requests and watches, and fails further requests. */
  cut(): void {
    this.#cut.abort(
      new TransportError('KW2003', {
        what: 'the connection was lost',
        why: 'the node is partitioned from the API server',
      }),
    );
  }

  /** Delays the node's requests and the API server's responses until the connection is restored. */
  hold(): void {
    this.#stopped ??= new AbortController();
  }

  /** Ends both faults. */
  restore(): void {
    if (this.#cut.signal.aborted) this.#cut = new AbortController();
    this.#stopped?.abort();
    this.#stopped = undefined;
  }

  /** Returns a transport that sends its requests over this connection. */
  over(transport: Transport): Transport {
    return {
      request: (request) => this.#request(transport, request),
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    };
  }

  async #request(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
    const { method, path } = request;
    await this.#held(request.signal);
    if (this.#cut.signal.aborted) {
      const text = { what: `${method} ${path} failed`, why: 'the node is partitioned from the API server' };
      throw new TransportError('KW2001', text, { sent: false, retryable: true });
    }
    const signal = request.signal ? AbortSignal.any([request.signal, this.#cut.signal]) : this.#cut.signal;
    const response = await transport.request({ ...request, signal });
    await this.#held(signal);
    return { ...response, body: this.#heldBody(response.body, signal) };
  }

  #heldBody(body: TransportResponse['body'], signal: AbortSignal): TransportResponse['body'] {
    const reclaim = body.reclaim?.bind(body);
    return {
      ...(reclaim && { reclaim }),
      [Symbol.asyncIterator]: () => {
        const pieces = body[Symbol.asyncIterator]();
        return {
          next: async () => {
            const piece = await pieces.next();
            await this.#held(signal);
            return piece;
          },
          // Not a generator, because a generator's `return()` would wait for the pending read.
          return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
        };
      },
    };
  }

  /** Waits while the agent is stopped. */
  async #held(signal: AbortSignal | undefined): Promise<void> {
    const continued = this.#stopped?.signal;
    if (!continued) return;
    const either = signal ? AbortSignal.any([continued, signal]) : continued;
    if (!either.aborted) await once(either, 'abort');
    signal?.throwIfAborted();
  }
}
