import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy for a local port, whose traffic a test can interrupt. */
export class BreakableProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #mode: 'open' | 'silent' | 'closed' = 'open';

  private constructor(target: number) {
    this.#server = createServer((client) => this.#accept(client, target));
  }

  static async to(target: number): Promise<BreakableProxy> {
    const proxy = new BreakableProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Forwards new connections again, and closes existing ones. */
  open(): void {
    this.#mode = 'open';
    this.#endAll();
  }

  /** Drops all traffic without closing connections, as in a network partition. */
  silence(): void {
    this.#mode = 'silent';
    for (const pair of this.#pairs) for (const socket of pair) socket.removeAllListeners('data').resume();
  }

  /** Closes all existing and new connections, like a server that is down. */
  close(): void {
    this.#mode = 'closed';
    this.#endAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#endAll();
    await closed;
  }

  #accept(client: Socket, target: number): void {
    if (this.#mode === 'closed') return void client.destroy();
    const upstream = connect(target, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    const end = (): void => this.#end(pair);
    for (const [from, to] of [pair, [upstream, client]] as const) {
      from.on('error', () => undefined);
      from.on('close', end);
      if (this.#mode === 'open') from.on('data', (bytes) => to.write(bytes));
      else from.resume();
    }
  }

  #endAll(): void {
    for (const pair of this.#pairs) this.#end(pair);
  }

  #end(pair: readonly [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }
}
