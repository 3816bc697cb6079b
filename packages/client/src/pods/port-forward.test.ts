import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from './port-forward.ts';

/** Creates the pod's end of a tunnel, which sends only what the test pushes. */
function quietPod(): Duplex & { readonly heard: string[] } {
  const heard: string[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk, _encoding, callback) {
      heard.push(String(chunk));
      callback();
    },
  });
  return Object.assign(stream, { heard });
}

describe('listen', () => {
  const clients: Socket[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });

  async function dial(port: number): Promise<Socket> {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    clients.push(client);
    await once(client, 'connect');
    return client;
  }

  it('closes the tunnel of a client that disconnected while the pod is idle', async () => {
    const clock = new VirtualClock();
    const pod = quietPod();
    await using forward = await listen(async () => pod, { clock });
    const client = await dial(forward.localPort);
    client.end('question');
    await expect.poll(() => pod.writableFinished).toBe(true);
    expect(pod.heard).toEqual(['question']);
    await clock.advance(59_000);
    expect(pod.destroyed).toBe(false);
    await clock.advance(1_000);
    await expect.poll(() => pod.destroyed).toBe(true);
  });

  it('keeps the tunnel of a half-closed client while the pod answers', async () => {
    const clock = new VirtualClock();
    const pod = quietPod();
    await using forward = await listen(async () => pod, { clock });
    const client = await dial(forward.localPort);
    let answer = '';
    client.on('data', (chunk) => {
      answer += chunk;
    });
    client.end('question');
    await expect.poll(() => pod.writableFinished).toBe(true);
    for (let i = 1; i <= 3; i++) {
      await clock.advance(50_000);
      pod.push(`${i}`);
      await expect.poll(() => answer).toHaveLength(i);
    }
    pod.push(null);
    await once(client, 'end');
    expect(answer).toBe('123');
  });

  it('keeps the tunnel of a silent client that has not ended its side', async () => {
    const clock = new VirtualClock();
    const pod = quietPod();
    await using forward = await listen(async () => pod, { clock });
    const client = await dial(forward.localPort);
    client.write('question');
    await expect.poll(() => pod.heard).toEqual(['question']);
    await clock.advance(3_600_000);
    expect(pod.destroyed).toBe(false);
  });

  it.each([
    ['reset its connection', (client: Socket) => client.resetAndDestroy()],
    ['disconnected', (client: Socket) => client.destroy()],
  ])('closes a tunnel whose client %s while it was opened', async (_, leave) => {
    const clock = new VirtualClock();
    const pod = quietPod();
    const opening: ((pod: Duplex) => void)[] = [];
    const open = (): Promise<Duplex> => new Promise((resolve) => opening.push(resolve));
    await using forward = await listen(open, { clock });
    const client = await dial(forward.localPort);
    await expect.poll(() => opening.length).toBe(1);
    leave(client);
    // Once the listener has accepted later connections, it has also closed the first one.
    for (let i = 2; i <= 4; i++) {
      await dial(forward.localPort);
      await expect.poll(() => opening.length).toBe(i);
    }
    opening[0]?.(pod);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(60_000);
    await expect.poll(() => pod.destroyed).toBe(true);
  });
});
