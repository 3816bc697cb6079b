import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A local TCP proxy that simulates network faults. */
export class FaultProxy implements AsyncDisposable {
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #port = 0;
  #idleMs: number | undefined;
  /** Connections accepted so far. */
  taken = 0;
  /** Number of connections that were closed because they were idle. */
  dropped = 0;

  private constructor(target: number) {
    this.#target = target;
  }

  /** Opens a proxy to a local port. */
  static async to(target: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await proxy.reopen();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** Drops everything sent on current connections in both directions, without closing them. New connections work. */
  swallow(): void {
    for (const pair of this.#pairs) pair.swallows = true;
  }

  /** From now on, closes connections that are idle for this long; undefined closes none. */
  dropIdle(ms: number | undefined): void {
    this.#idleMs = ms;
    for (const pair of this.#pairs) this.#watchIdle(pair);
  }

  /** Closes all connections and refuses new ones, like a server that is down. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const pair of this.#pairs) this.#end(pair);
    await closed;
  }

  /** Accepts connections again, on the same port. */
  async reopen(): Promise<void> {
    const server = createServer((inside) => this.#take(inside));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(inside: Socket): void {
    this.taken++;
    const pair: Pair = { inside, outside: connect(this.#target, '127.0.0.1'), swallows: false };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [pair.inside, pair.outside],
      [pair.outside, pair.inside],
    ] as const) {
      from.on('data', (bytes) => {
        if (!pair.swallows) to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => {
        if (!pair.swallows) this.#end(pair);
      });
    }
    this.#watchIdle(pair);
  }

  #watchIdle(pair: Pair): void {
    pair.inside.setTimeout(this.#idleMs ?? 0, () => {
      this.dropped++;
      this.#end(pair);
    });
  }

  #end(pair: Pair): void {
    pair.inside.destroy();
    pair.outside.destroy();
    this.#pairs.delete(pair);
  }
}

interface Pair {
  readonly inside: Socket;
  readonly outside: Socket;
  swallows: boolean;
}
