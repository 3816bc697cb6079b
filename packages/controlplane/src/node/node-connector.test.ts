import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostSockets } from '../network/sockets.ts';
import type { RunningContainer } from './driver.ts';
import type { LogStore } from './logs/log-store.ts';
import { LocalConnector } from './node-connector.ts';
import type { ContainerSlot } from './pod/container-slot.ts';

describe('LocalConnector', () => {
  let host: Server;
  let port: number;
  let reached = 0;

  beforeEach(async () => {
    reached = 0;
    host = createServer((socket) => {
      reached++;
      socket.end('a secret of the machine');
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    port = (host.address() as AddressInfo).port; // a TCP listener
  });
  afterEach(() => new Promise((resolve) => host.close(resolve)));

  const pod = (uid: string) =>
    ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'a', uid },
      status: { podIP: '127.0.0.1', hostIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] },
    }) as KubernetesObject;

  function connectorOf(options: Partial<ConstructorParameters<typeof LocalConnector>[0]> = {}): LocalConnector {
    return new LocalConnector({
      clock: new VirtualClock(),
      logs: {} as LogStore, // not used
      slots: () => [],
      podIP: (of) => (of === 'mine' ? '127.0.0.1' : undefined),
      noTerminals: undefined,
      usage: async () => ({ name: 'a', pods: [] }),
      sockets: hostSockets,
      ...options,
    });
  }

  async function forward(uid: string): Promise<string> {
    let text = '';
    await connectorOf().portForward(pod(uid), {
      port,
      input: (async function* () {})(),
      output: async (chunk) => {
        text += Buffer.from(chunk).toString();
      },
      signal: new AbortController().signal,
    });
    return text;
  }

  it('forwards ports to the address that the node assigned to the pod', async () => {
    expect(await forward('mine')).toBe('a secret of the machine');
  });

  it('rejects terminals, with the reason, if the node has none', async () => {
    const running = {} as RunningContainer; // not used
    const slot = { name: 'c', state: { type: 'running', running, stopping: false } } as ContainerSlot;
    const connector = connectorOf({ slots: () => [slot], noTerminals: 'there are no terminals here; omit -t' });
    await connector.check(pod('mine'), { container: 'c' });
    for (const terminal of ['exec', 'attach'] as const) {
      await expect(connector.check(pod('mine'), { container: 'c', terminal })).rejects.toThrow(
        'there are no terminals here; omit -t',
      );
    }
  });

  it('ignores an address that a user wrote into the status', async () => {
    await expect(forward('other')).rejects.toThrow('unable to do port forwarding: pod p has no address yet');
    expect(reached).toBe(0);
  });
});
