import { type ClientCall, TransportError, type TransportResponse } from '@kubewright/client';

type Body = TransportResponse['body'];

/** An open watch whose connection can be dropped. */
export class DroppableWatch {
  readonly call: ClientCall;
  /** The response as the client sees it. */
  readonly response: TransportResponse;
  readonly #stop: AbortController;
  readonly #ended: (watch: DroppableWatch) => void;
  #lose: ((error: Error) => void) | undefined;
  #lost: Error | undefined;

  constructor(
    call: ClientCall,
    parts: {
      readonly response: TransportResponse;
      /** Ends the request at the server. */
      readonly stop: AbortController;
      readonly ended: (watch: DroppableWatch) => void;
    },
  ) {
    this.call = call;
    this.#stop = parts.stop;
    this.#ended = parts.ended;
    this.response = { ...parts.response, body: this.#wrapped(parts.response.body) };
  }

  /** Drops the connection: the client's read fails. */
  drop(): void {
    const error = new TransportError(
      'KW2003',
      { what: 'the connection was lost', why: 'an injected fault dropped the watch' },
      { retryable: true },
    );
    this.#lost = error;
    this.#lose?.(error);
    this.#stop.abort(error);
    this.#ended(this);
  }

  #wrapped(body: Body): Body {
    const pieces = body[Symbol.asyncIterator]();
    const next = (): Promise<IteratorResult<Uint8Array>> =>
      new Promise((resolve, reject) => {
        if (this.#lost) return reject(this.#lost);
        this.#lose = reject;
        pieces.next().then(
          (piece) => {
            if (piece.done) this.#ended(this);
            resolve(piece);
          },
          (error: unknown) => {
            this.#ended(this);
            reject(error);
          },
        );
      });
    const end = async (): Promise<IteratorResult<Uint8Array>> => {
      this.#ended(this);
      await pieces.return?.();
      return { done: true, value: undefined };
    };
    return {
      [Symbol.asyncIterator]: () => ({ next, return: end }),
      ...(body.reclaim && { reclaim: (piece: Uint8Array) => body.reclaim?.(piece) }),
    };
  }
}
