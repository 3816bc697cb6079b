import { type Random, sleep } from '@kubewright/apimachinery';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from '@kubewright/client';
import type { ProcessClock } from '../../packages/runtime/src/leader-election/testdata/process-clock.ts';

/** The probability of each fault per request. */
const odds = { lost: 0.01, answerLost: 0.01, late: 0.03, refused: 0.01, expired: 0.05, mute: 0.03, cut: 0.1 };

/**
 * A process's connection to the server: requests and responses may be lost, delayed or rejected, and watches may end or fall
 * silent.
 */
export class FaultyTransport implements Transport {
  readonly #server: Transport;
  readonly #clock: ProcessClock;
  readonly #random: Random;
  readonly #count: (fault: string) => void;
  readonly #streams = new Set<Stream>();
  /** True if random faults may occur. */
  isFaulty = true;
  /** True if nothing gets through in either direction. */
  isCut = false;

  constructor(options: {
    readonly server: Transport;
    readonly clock: ProcessClock;
    readonly random: Random;
    readonly count: (fault: string) => void;
  }) {
    this.#server = options.server;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#count = options.count;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    await this.#clock.running();
    request.signal?.throwIfAborted();
    // Check the gate last: only simulated network delays follow before the server receives the request.
    request.gate?.();
    const ungated = { ...request, gate: () => {} };
    const isWatch = request.longRunning === true;
    await this.#onTheWay(request);
    if (this.#strikes(odds.refused, 'refused with 429')) return tooMany();
    if (isWatch && this.#strikes(odds.expired, 'watch refused with 410')) return expired();
    const response = await this.#server.request(ungated);
    if (isWatch) return { ...response, body: this.#stream(response.body) };
    await this.#onTheWayBack(request);
    await this.#clock.running();
    return response;
  }

  /** Ends all watches, like a load balancer. */
  cutStreams(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Silences open watches without closing them. */
  muteStreams(): void {
    for (const stream of this.#streams) stream.isMute = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  async #onTheWay({ method, path, signal }: TransportRequest): Promise<void> {
    if (this.#strikes(odds.late, 'late'))
      await sleep(this.#clock, { ms: this.#random.next() * 45_000, ...(signal && { signal }) });
    if (!this.isCut && !this.#strikes(odds.lost, 'lost')) return;
    throw new TransportError('KW2001', { what: `${method} ${path}: no connection` }, { retryable: true, sent: false });
  }

  async #onTheWayBack({ method, path, signal }: TransportRequest): Promise<void> {
    if (this.#strikes(odds.late, 'answer late'))
      await sleep(this.#clock, { ms: this.#random.next() * 45_000, ...(signal && { signal }) });
    if (!this.isCut && !this.#strikes(odds.answerLost, 'answer lost')) return;
    throw new TransportError(
      'KW2003',
      { what: `${method} ${path}: the connection was lost` },
      { retryable: true, sent: true },
    );
  }

  #stream(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const stream = new Stream(body, this.#clock, () => void this.#streams.delete(stream));
    this.#streams.add(stream);
    if (this.#strikes(odds.mute, 'watch mute')) stream.isMute = true;
    if (this.#strikes(odds.cut, 'watch cut')) {
      this.#clock.setTimer(this.#random.next() * 300_000, () => stream.end());
    }
    return stream;
  }

  #strikes(part: number, fault: string): boolean {
    if (!this.isFaulty || this.#random.next() >= part) return false;
    this.#count(fault);
    return true;
  }
}

/** The body of a watch, as a process receives it. */
class Stream implements AsyncIterableIterator<Uint8Array> {
  isMute = false;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #clock: ProcessClock;
  readonly #done: () => void;
  #ended = false;
  #wake: () => void = () => {};

  constructor(body: AsyncIterable<Uint8Array>, clock: ProcessClock, done: () => void) {
    this.#source = body[Symbol.asyncIterator]();
    this.#clock = clock;
    this.#done = done;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#done();
    this.#wake();
    this.#source.return?.().catch(() => {
      // The reader is done, so errors on the server do not matter.
    });
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const ended = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    while (!this.#ended) {
      const piece = await Promise.race([this.#source.next(), ended]);
      await this.#clock.running();
      if (!piece || piece.done || this.#ended) break;
      if (!this.isMute) return piece;
    }
    this.end();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function tooMany(): TransportResponse {
  const status = failure(429, 'TooManyRequests', 'too many requests');
  return { ...status, headers: { ...status.headers, 'retry-after': '3' } };
}

function expired(): TransportResponse {
  return failure(410, 'Expired', 'too old resource version');
}

function failure(code: number, reason: string, message: string): TransportResponse {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return { status: code, headers: { 'content-type': 'application/json' }, body: once(JSON.stringify(status)) };
}

async function* once(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text);
}
