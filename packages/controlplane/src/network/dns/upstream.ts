import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { connect, isIP, isIPv6 } from 'node:net';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { SocketAddress } from '../sockets.ts';
import { isAnswerTo, isTruncated } from './dns-message.ts';
import { StreamMessages, withLength } from './stream-messages.ts';

/**
 * Forwards a query to a name server and returns its answer; `undefined` if too many queries are waiting.
 *
 * @param options - `isStream`: the client uses TCP and accepts answers of any length.
 */
export type Upstream = (query: Buffer, options: { readonly isStream: boolean }) => Promise<Buffer | undefined>;

/** Options for {@link machineUpstream}. */
export interface MachineUpstreamOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** @defaultValue the name servers in `/etc/resolv.conf` */
  readonly servers?: () => readonly SocketAddress[];
  /** Maximum number of queries that wait for an answer. @defaultValue 1,000, as kubeadm configures CoreDNS */
  readonly maxWaiting?: number;
}

/** Time to wait for a server's answer, in milliseconds. */
const patienceMs = 2_000;

/**
 * Returns a function that queries this machine's name servers in order until one answers. A response counts only if it comes from
 * the queried server and repeats the question and the random id of the query. A truncated response goes to UDP clients unchanged,
 * so they retry over TCP; for TCP clients, the query is repeated over TCP.
 */
export function machineUpstream(options: MachineUpstreamOptions): Upstream {
  const { clock, random, servers = nameServers, maxWaiting = 1_000 } = options;
  let waiting = 0;
  return async (query, { isStream }) => {
    if (waiting >= maxWaiting) return undefined;
    waiting++;
    try {
      const own = withId(query, Math.floor(random.next() * 0x1_0000));
      const ask = async (server: SocketAddress): Promise<Buffer> => {
        const answer = await askByDatagram(own, { server, clock });
        return isStream && isTruncated(answer) ? askByStream(own, { server, clock }) : answer;
      };
      let last: unknown = new Error('this machine has no name server');
      for (const server of servers()) {
        try {
          return withId(await ask(server), query.readUInt16BE(0));
        } catch (error) {
          last = error;
        }
      }
      throw last;
    } finally {
      waiting--;
    }
  };
}

/** Reads the servers again for each query, because they change with the machine's network. */
function nameServers(): readonly SocketAddress[] {
  try {
    const lines = readFileSync('/etc/resolv.conf', 'utf8').split('\n');
    const hosts = lines.flatMap((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? []);
    return hosts.filter((host) => isIP(host) !== 0).map((host) => ({ host, port: 53 }));
  } catch {
    // The machine has no name servers.
    return [];
  }
}

interface AskOptions {
  readonly server: SocketAddress;
  readonly clock: Clock;
}

function askByDatagram(query: Buffer, { server, clock }: AskOptions): Promise<Buffer> {
  const { host, port } = server;
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    let isOpen = true;
    const end = (settle: () => void): void => {
      if (!isOpen) return;
      isOpen = false;
      timer[Symbol.dispose]();
      socket.close();
      settle();
    };
    const timer = clock.setTimer(patienceMs, () => end(() => reject(silent(server))));
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('message', (answer) => {
      // Any other message is late or forged.
      if (isAnswerTo(query, answer)) end(() => resolve(answer));
    });
    // A connected socket receives datagrams from this server only.
    socket.connect(port, host, () => {
      if (isOpen) socket.send(query);
    });
  });
}

function askByStream(query: Buffer, { server, clock }: AskOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(server);
    const messages = new StreamMessages();
    const end = (settle: () => void): void => {
      timer[Symbol.dispose]();
      socket.destroy();
      settle();
    };
    const timer = clock.setTimer(patienceMs, () => end(() => reject(silent(server))));
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('close', () => end(() => reject(silent(server))));
    socket.on('data', (chunk: Buffer) => {
      const answer = messages.add(chunk).find((message) => isAnswerTo(query, message));
      if (answer) end(() => resolve(answer));
    });
    socket.write(withLength(query));
  });
}

function silent({ host }: SocketAddress): Error {
  return new Error(`name server ${host} does not respond`);
}

function withId(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}
