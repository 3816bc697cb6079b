import type { Socket } from 'node:net';
import { expectManyListeners, untilAborted } from '../../until-aborted.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { Dialer } from './dial.ts';
import { H1Pool } from './h1-pool.ts';
import { H2Pool } from './h2-pool.ts';
import { h2Request } from './h2-request.ts';
import type { HttpContext, OutgoingHeaders } from './http-options.ts';
import { UpgradePool } from './upgrade-pool.ts';

type Protocol = 'h2' | 'http/1.1';

/** All connections to one server with one client certificate. The first connection determines the protocol. */
export class ConnectionPool {
  readonly #context: HttpContext;
  readonly #dialer: Dialer;
  readonly #stop = new AbortController();
  readonly #h2: H2Pool;
  readonly #h1: H1Pool;
  readonly #upgrades: UpgradePool;
  #protocol: Protocol | undefined;
  #probing: Promise<Protocol> | undefined;

  constructor(context: HttpContext) {
    this.#context = context;
    expectManyListeners(this.#stop.signal);
    this.#dialer = new Dialer(context);
    this.#h2 = new H2Pool(context, () => this.#dial('h2'));
    this.#h1 = new H1Pool(context, () => this.#dial('http/1.1'));
    this.#upgrades = new UpgradePool(context);
    if (context.server.protocol === 'http:') this.#protocol = 'http/1.1';
  }

  async send(options: {
    readonly request: TransportRequest;
    readonly path: string;
    readonly headers: OutgoingHeaders;
  }): Promise<TransportResponse> {
    const { signal, longRunning = false, upgrade = false } = options.request;
    if (upgrade) return this.#upgrades.request(options);
    const protocol = this.#protocol ?? (await untilAborted(this.#probe(longRunning), signal));
    if (protocol === 'http/1.1') return this.#h1.request(options);
    const session = await this.#h2.session({ longRunning, signal });
    return h2Request(session, { ...options, context: this.#context });
  }

  /** Lets running requests finish, then closes the connections. Called when the client certificate has been renewed. */
  retire(): void {
    this.#h2.retire();
    this.#h1.retire();
  }

  /** True once no connection is left, so that the pool can be dropped. */
  get isEmpty(): boolean {
    return this.#probing === undefined && this.#h2.isEmpty && this.#h1.isEmpty && this.#upgrades.isEmpty;
  }

  async destroy(reason: TransportError): Promise<void> {
    this.#stop.abort(reason);
    this.#h1.destroy(reason);
    this.#upgrades.destroy(reason);
    await this.#h2.destroy(reason);
  }

  #probe(longRunning: boolean): Promise<Protocol> {
    this.#probing ??= this.#dialer
      .dial(this.#stop.signal)
      .then(({ socket, protocol }) => {
        (protocol === 'h2' ? this.#h2 : this.#h1).adopt(socket, { longRunning });
        this.#protocol = protocol;
        return protocol;
      })
      .finally(() => {
        this.#probing = undefined;
      });
    return this.#probing;
  }

  async #dial(expected: Protocol): Promise<Socket> {
    const { socket, protocol } = await this.#dialer.dial(this.#stop.signal);
    if (protocol === expected) return socket;
    // After an upgrade or a failover, a different server may be behind this address, so detect the protocol again.
    socket.destroy();
    this.#protocol = undefined;
    throw new TransportError(
      'KW2001',
      { what: `the protocol of ${this.#context.server.host} changed from ${expected} to ${protocol}` },
      { sent: false, retryable: true },
    );
  }
}
