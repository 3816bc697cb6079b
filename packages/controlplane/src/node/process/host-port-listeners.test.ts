import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { systemClock } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { hostSockets } from '../../network/sockets.ts';
import { HostPortListeners, hostPortsOf } from './host-port-listeners.ts';

const pod = (ports: readonly object[], more: object = {}): Pod =>
  Pod({ metadata: { name: 'a' }, spec: { containers: [{ name: 'c', ports: ports as never }], ...more } });
const place = { podIP: '127.9.1.1', nodeIP: '127.9.0.1', shared: true };
const listening = (of: Pod, options = place) =>
  hostPortsOf(of, options).map(({ listen, target }) => `${listen.host}:${listen.port} > ${target.host}:${target.port}`);

describe('hostPortsOf', () => {
  it('uses 127.0.0.1 and the address of the node, or the host IP', () => {
    expect(listening(pod([{ containerPort: 80, hostPort: 8080 }]))).toEqual([
      '127.0.0.1:8080 > 127.9.1.1:80',
      '127.9.0.1:8080 > 127.9.1.1:80',
    ]);
    expect(listening(pod([{ containerPort: 80, hostPort: 8080, hostIP: '127.0.0.9' }]))).toEqual([
      '127.0.0.9:8080 > 127.9.1.1:80',
    ]);
  });

  it('skips SCTP, host networking, and on a shared network a host port that equals the container port', () => {
    expect(listening(pod([{ containerPort: 80, hostPort: 8080, protocol: 'SCTP' }, { containerPort: 81 }]))).toEqual(
      [],
    );
    expect(listening(pod([{ containerPort: 80, hostPort: 8080 }], { hostNetwork: true }))).toEqual([]);
    const same = pod([{ containerPort: 80, hostPort: 80 }]);
    expect(listening(same)).toEqual([]);
    expect(listening(same, { ...place, shared: false })).toHaveLength(2);
  });
});

describe('HostPortListeners', () => {
  it('forwards connections until the pod is removed, and fails for a port in use', async () => {
    using listeners = new HostPortListeners({ host: hostSockets, pods: hostSockets, clock: systemClock });
    const target = { host: '127.0.0.1', port: 0 };
    const server = await hostSockets.listen(target);
    server.on('connection', (socket) => socket.end('hello'));
    const free = await hostSockets.listen(target);
    const [to, listen] = [server, free].map((one) => ({
      host: '127.0.0.1',
      port: (one.address() as { port: number }).port,
    }));
    if (!to || !listen) throw new Error('no ports');
    const closed = once(free, 'close');
    await expect(listeners.open('a', [{ listen, target: to }])).rejects.toThrow('EADDRINUSE');
    free.close();
    await closed;
    await listeners.open('a', [{ listen, target: to }]);
    expect(await text(await hostSockets.connect(listen))).toBe('hello');
    listeners.close('a');
    await expect(hostSockets.connect(listen)).rejects.toThrow('ECONNREFUSED');
    server.close();
  });

  it('forwards datagrams and their replies', async () => {
    using listeners = new HostPortListeners({ host: hostSockets, pods: hostSockets, clock: systemClock });
    const any = { host: '127.0.0.1', port: 0 };
    const [server, free, client] = [
      await hostSockets.bind(any),
      await hostSockets.bind(any),
      await hostSockets.bind(any),
    ];
    server.on('message', (message, { port, address }) => server.send(`${message} back`, port, address));
    const listen = { host: '127.0.0.1', port: free.address().port };
    const closed = once(free, 'close');
    free.close();
    await closed;
    const target = { host: '127.0.0.1', port: server.address().port };
    await listeners.open('a', [{ protocol: 'UDP', listen, target }]);
    client.send('there', listen.port, listen.host);
    const [reply] = (await once(client, 'message')) as [Buffer];
    expect(reply.toString()).toBe('there back');
    client.close();
    server.close();
  });
});
