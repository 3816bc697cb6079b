import { type Random, type Status, sleep, type VirtualClock } from '@kubewright/apimachinery';
import type { Transport, TransportRequest, TransportResponse } from '@kubewright/client';
import type { ProcessClock } from './process-clock.ts';

/** Simulates an API server that stores leases: supports create, get, list, and updates with a version. All changes are atomic. */
export class LeaseServer {
  readonly leases: Map<string, any> = new Map();
  #version = 0;

  handle(request: TransportRequest): { readonly status: number; readonly body: unknown } {
    const path = request.path.split('?', 1)[0]!;
    if (!path.includes('/leases')) return { status: 201, body: {} };
    const name = path.split('/leases/')[1];
    const sent = request.body && JSON.parse(Buffer.from(request.body).toString('utf8'));
    if (request.method === 'POST') {
      if (this.leases.has(sent.metadata.name)) return failed(409, 'AlreadyExists');
      return { status: 201, body: this.#put(sent) };
    }
    if (name === undefined) {
      const metadata = { resourceVersion: String(this.#version) };
      return { status: 200, body: { kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata, items: [...this.leases.values()] } };
    }
    const old = this.leases.get(name);
    if (!old) return failed(404, 'NotFound');
    if (request.method === 'GET') return { status: 200, body: old };
    const given = request.method === 'DELETE' ? sent?.preconditions?.resourceVersion : sent.metadata.resourceVersion;
    if (given !== undefined && given !== old.metadata.resourceVersion) return failed(409, 'Conflict');
    if (request.method === 'DELETE') {
      this.leases.delete(name);
      return { status: 200, body: old };
    }
    return { status: 200, body: this.#put(sent) };
  }

  #put(sent: any): unknown {
    const version = String(++this.#version);
    const uid = this.leases.get(sent.metadata.name)?.metadata.uid ?? `uid-${version}`;
    const lease = { ...sent, metadata: { ...sent.metadata, uid, resourceVersion: version } };
    this.leases.set(sent.metadata.name, lease);
    return lease;
  }
}

function failed(code: number, reason: string): { readonly status: number; readonly body: Status } {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message: reason } as Status };
}

/** The current behavior of the network between one process and the server. */
export interface Way {
  /** Maximum delay of each of the three steps of a request, in milliseconds. */
  lagMs: number;
  /** Probability that a request is lost; the same applies to its response. */
  loss: number;
  /** Number of next changes to a lease that take effect but whose response is lost. */
  lostAnswers: number;
}

/** The two sides that a {@link SimulatedTransport} connects, and its faults. */
export interface SimulatedTransportOptions {
  readonly base: VirtualClock;
  readonly clock: ProcessClock;
  readonly random: Random;
  readonly server: LeaseServer;
  readonly handedOver: (request: TransportRequest) => void;
  /** True to check the gate before waiting: the mistake that gates are meant to prevent. */
  readonly gateFirst?: boolean;
}

/** Carries the requests of one simulated process to the server. The process may be stopped during every wait. */
export class SimulatedTransport implements Transport {
  readonly way: Way = { lagMs: 300, loss: 0, lostAnswers: 0 };
  readonly #options: SimulatedTransportOptions;

  constructor(options: SimulatedTransportOptions) {
    this.#options = options;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { server, handedOver, gateFirst = false, random } = this.#options;
    if (gateFirst) request.gate?.();
    // Waits for credentials, a connection and a stream on it.
    await this.#pass(request.signal);
    request.signal?.throwIfAborted();
    if (!gateFirst) request.gate?.();
    handedOver(request);
    const arrives = random.next() >= this.way.loss;
    await this.#travel();
    const answer = arrives ? server.handle(request) : undefined;
    if (!answer || random.next() < this.way.loss || this.#losesAnswer(request)) return this.#lost(request.signal);
    await this.#pass(request.signal);
    request.signal?.throwIfAborted();
    const bytes = Buffer.from(JSON.stringify(answer.body));
    return { status: answer.status, headers: { 'content-type': 'application/json' }, body: once(bytes) };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #losesAnswer({ path, method }: TransportRequest): boolean {
    if (this.way.lostAnswers === 0 || method === 'GET' || !path.includes('/leases')) return false;
    this.way.lostAnswers--;
    return true;
  }

  #travel(): Promise<void> {
    const { base, random } = this.#options;
    return sleep(base, { ms: random.next() * this.way.lagMs });
  }

  /** Waits for the network, and then until the process is running; an aborted signal ends the first wait immediately. */
  async #pass(signal: AbortSignal | undefined): Promise<void> {
    await Promise.race([this.#travel(), onAbort(signal)]);
    await this.#options.clock.running();
  }

  #lost(signal: AbortSignal | undefined): Promise<never> {
    return onAbort(signal).then(() => Promise.reject(signal?.reason));
  }
}

function onAbort(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes;
  return undefined;
}
