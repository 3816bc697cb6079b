import type { Buffer } from 'node:buffer';
import type { Socket as DatagramSocket } from 'node:dgram';
import type { Server, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Clock, Timer } from '@kubewright/apimachinery';
import type { SocketAddress, Sockets } from '../sockets.ts';
import { encodeAnswer, parseQuery, responseCodes } from './dns-message.ts';
import type { ServiceZone } from './service-zone.ts';
import { StreamMessages, withLength } from './stream-messages.ts';
import type { Upstream } from './upstream.ts';

/** Options for {@link DnsServer.listen}. */
export interface DnsServerOptions {
  readonly zone: ServiceZone;
  /** Resolves names outside the zone. */
  readonly upstream: Upstream;
  readonly sockets: Sockets;
  readonly clock: Clock;
}

const maxTcpBytes = 65_535;
/** Maximum number of concurrent TCP connections. */
const maxConnections = 256;
/** Idle time after which a connection is closed, in milliseconds, as in CoreDNS. */
const idleMs = 10_000;

/** Serves a zone over UDP and TCP. */
export class DnsServer implements Disposable {
  readonly #options: DnsServerOptions;
  readonly #datagrams: DatagramSocket;
  #isClosed = false;
  readonly #server: Server;

  private constructor(
    options: DnsServerOptions,
    parts: { readonly datagrams: DatagramSocket; readonly server: Server },
  ) {
    this.#options = options;
    this.#datagrams = parts.datagrams;
    this.#server = parts.server;
    this.#datagrams.on(
      'message',
      (message, { address, port }) => void this.#answerDatagram(message, { host: address, port }),
    );
    this.#server.maxConnections = maxConnections;
    this.#server.on('connection', (socket) => this.#serve(socket));
  }

  static async listen(address: SocketAddress, options: DnsServerOptions): Promise<DnsServer> {
    const datagrams = await options.sockets.bind(address);
    try {
      return new DnsServer(options, { datagrams, server: await options.sockets.listen(address) });
    } catch (error) {
      datagrams.close();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#datagrams.close();
    this.#server.close();
  }

  async #answerDatagram(message: Buffer, client: SocketAddress): Promise<void> {
    const answer = await this.#answer(message, { isStream: false });
    if (answer && !this.#isClosed) this.#datagrams.send(answer, client.port, client.host, () => undefined);
  }

  /** Serves the queries of a connection one after the other. */
  #serve(socket: Socket): void {
    const { clock } = this.#options;
    const close = (): void => void socket.destroy();
    const wait = (): Timer => clock.setTimer(idleMs, close, { unref: true });
    const answer = (message: Buffer): Promise<Uint8Array | undefined> => this.#answer(message, { isStream: true });
    let timer = wait();
    const answers = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      const messages = new StreamMessages();
      for await (const chunk of chunks) {
        for (const message of messages.add(chunk)) {
          const answered = await answer(message);
          // The message is not a query.
          if (!answered) return close();
          yield withLength(answered);
        }
        timer[Symbol.dispose]();
        timer = wait();
      }
    };
    // Clients can disconnect at any time.
    pipeline(socket, answers, socket, () => timer[Symbol.dispose]());
  }

  async #answer(message: Buffer, { isStream }: { readonly isStream: boolean }): Promise<Uint8Array | undefined> {
    const query = parseQuery(message);
    if (!query) return undefined;
    const maxBytes = isStream ? maxTcpBytes : query.maxBytes;
    const { zone, upstream } = this.#options;
    const own = zone.answer(query.question);
    if (own) return encodeAnswer(query, own, { maxBytes });
    try {
      const answer = await upstream(message, { isStream });
      return answer ?? encodeAnswer(query, { code: responseCodes.refused, answers: [] }, { maxBytes });
    } catch {
      // CoreDNS sends the same answer if no server responds.
      return encodeAnswer(query, { code: responseCodes.serverFailure, answers: [] }, { maxBytes });
    }
  }
}
