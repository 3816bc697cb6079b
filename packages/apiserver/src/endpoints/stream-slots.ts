import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import { tooManyRequests } from '../http/failures.ts';
import { type SlotHolder, Slots } from './slots.ts';

/** Limits of {@link StreamSlots}. */
export interface StreamLimits {
  /** Maximum number of open streams. */
  readonly maxStreams: number;
  /** Maximum number of open streams of one user; privileged callers are exempt. */
  readonly maxStreamsPerUser: number;
  /** Slots beyond the limit, for privileged callers; the cluster's own components may use half of them. */
  readonly reservedStreams: number;
}

/**
 * Limits how many watches, logs and connections to pods are open at a time. They stay open for a long time, so without a limit
 * one user could occupy every connection of the server.
 */
export class StreamSlots {
  readonly #slots: Slots;

  constructor({ maxStreams, maxStreamsPerUser, reservedStreams }: StreamLimits) {
    this.#slots = new Slots(maxStreams, { reserved: reservedStreams, maxOfUser: maxStreamsPerUser });
  }

  /**
   * Handles a long-running request. Its slot is released once the stream has ended.
   *
   * @throws StatusError 429 when there is no slot for the caller
   */
  async hold(
    holder: SlotHolder,
    request: ApiRequest,
    handle: (request: ApiRequest) => Promise<ApiResponse> | ApiResponse,
  ): Promise<ApiResponse> {
    if (!this.#slots.take(holder)) throw tooManyRequests('Too many open streams, please try again later.', 1);
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.#slots.release(holder);
      isHeld = false;
    };
    let isUpgraded = false;
    const { upgrade } = request;
    const takeOver = (): ReturnType<NonNullable<typeof upgrade>> => {
      const upgraded = (upgrade as NonNullable<typeof upgrade>)();
      isUpgraded = true;
      upgraded.stream.once('close', release);
      // A client that has already disconnected emits no further close event.
      if (upgraded.stream.destroyed || request.signal.aborted) release();
      else request.signal.addEventListener('abort', release, { once: true });
      return upgraded;
    };
    let response: ApiResponse | undefined;
    try {
      response = await handle(upgrade ? { ...request, upgrade: takeOver } : request);
    } finally {
      if (!isUpgraded && (response === undefined || response.body instanceof Uint8Array)) release();
    }
    if (isUpgraded || response.body instanceof Uint8Array) return response;
    return { ...response, body: whenEnded(response.body, release) };
  }
}

/** Wraps a stream to call `ended` once the stream has ended or its reader has disconnected. */
function whenEnded(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = body[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const next = await iterator.next();
            if (next.done) ended();
            return next;
          } catch (error) {
            ended();
            throw error;
          }
        },
        async return() {
          ended();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
