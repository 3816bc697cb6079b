import type { Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { UdpForwarder } from './udp-forwarder.ts';

/** A socket that records what it sends. */
class RecordingSocket extends EventEmitter {
  readonly sent: string[] = [];
  isOpen = true;
  send(message: Uint8Array, port: number, host: string): void {
    if (!this.isOpen) throw new Error('Not running');
    this.sent.push(`${message} to ${host}:${port}`);
  }
  close(): void {
    this.isOpen = false;
  }
}

describe('UdpForwarder', () => {
  const start = () => {
    const clock = new VirtualClock();
    const socket = new RecordingSocket();
    const opened: RecordingSocket[] = [];
    const targets = [{ host: '10.244.0.2', port: 53 }];
    const forwarder = new UdpForwarder({
      // Only these members of a socket are used.
      socket: socket as unknown as Socket,
      target: () => targets[0],
      open: () => {
        opened.push(new RecordingSocket());
        return Promise.resolve(opened.at(-1) as unknown as Socket);
      },
      clock,
    });
    const hear = async (message: string, port: number): Promise<void> => {
      socket.emit('message', Buffer.from(message), { address: '127.0.0.1', port });
      await clock.advance(0);
    };
    return { clock, socket, opened, targets, forwarder, hear };
  };

  it('keeps a client at its target and returns the answers', async () => {
    const { socket, opened, targets, hear } = start();
    await hear('a', 1_000);
    targets[0] = { host: '10.244.0.3', port: 53 };
    await hear('b', 1_000);
    await hear('c', 2_000);
    expect(opened.map(({ sent }) => sent)).toEqual([
      ['a to 10.244.0.2:53', 'b to 10.244.0.2:53'],
      ['c to 10.244.0.3:53'],
    ]);
    opened[1]?.emit('message', Buffer.from('answer'));
    expect(socket.sent).toEqual(['answer to 127.0.0.1:2000']);
  });

  it('gives a client another target if its target is removed', async () => {
    const { opened, targets, forwarder, hear } = start();
    await hear('a', 1_000);
    const [gone] = targets;
    targets[0] = { host: '10.244.0.3', port: 53 };
    forwarder.retain([...targets, ...(gone ? [gone] : [])]);
    await hear('b', 1_000);
    forwarder.retain(targets);
    await hear('c', 1_000);
    expect(opened.map(({ sent }) => sent)).toEqual([
      ['a to 10.244.0.2:53', 'b to 10.244.0.2:53'],
      ['c to 10.244.0.3:53'],
    ]);
    expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  });

  it('forgets the client that has been silent for the longest time if there are too many', async () => {
    const { opened, hear } = start();
    for (let port = 1; port <= 1_024; port++) await hear('x', port);
    await hear('again', 1);
    await hear('one more', 2_000);
    expect(opened.filter(({ isOpen }) => isOpen)).toHaveLength(1_024);
    expect(opened.findIndex(({ isOpen }) => !isOpen)).toBe(1);
    expect(opened.at(-1)?.sent).toEqual(['one more to 10.244.0.2:53']);
  });

  it('forgets silent clients, and all clients when disposed', async () => {
    const { clock, socket, opened, forwarder, hear } = start();
    await hear('a', 1);
    await clock.advance(120_000);
    await hear('b', 2);
    expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, true]);
    forwarder[Symbol.dispose]();
    await clock.advance(0);
    expect([socket, ...opened].map(({ isOpen }) => isOpen)).toEqual([false, false, false]);
  });
});
