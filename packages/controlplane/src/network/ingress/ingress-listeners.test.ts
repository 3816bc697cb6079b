import { once } from 'node:events';
import { request } from 'node:http';
import { systemClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { hostSockets, type SocketAddress } from '../sockets.ts';
import { IngressListeners } from './ingress-listeners.ts';

const sources = { endpoints: () => [], secret: () => undefined };
const host = '127.0.0.1';

describe('IngressListeners', () => {
  const taken = new Set<number>();
  const listen = ({ port, ...rest }: SocketAddress) =>
    taken.has(port) ? Promise.reject(new Error(`port ${port} is taken`)) : hostSockets.listen({ ...rest, port: 0 });
  let listeners = new IngressListeners({ host, sockets: hostSockets, clock: systemClock, listenOn: listen });
  afterEach(() => {
    listeners[Symbol.dispose]();
    taken.clear();
    listeners = new IngressListeners({ host, sockets: hostSockets, clock: systemClock, listenOn: listen });
  });

  it('serve HTTPS on a free port if both usual ports are taken', async () => {
    for (const port of [443, 8443]) taken.add(port);
    const { addresses, notes, isComplete } = await listeners.listen(sources, { tls: true });
    expect(isComplete).toBe(true);
    expect(addresses).toMatchObject([{ host, port: 80 }, { host }]);
    expect(notes).toEqual([
      `HTTPS is served on port ${addresses[1]?.port}, because 443 and 8443 are not available: port 443 is taken; port 8443 is taken`,
    ]);
    const [answer] = await once(request({ host, port: addresses[1]?.port }).end(), 'error');
    expect(answer.code, 'HTTP on the port of HTTPS').toBe('ECONNRESET');
  });

  it('serve HTTP while no port is available for HTTPS, and HTTPS once a port is free', async () => {
    for (const port of [443, 8443, 0]) taken.add(port);
    expect(await listeners.listen(sources, { tls: true })).toEqual({
      addresses: [{ host, port: 80 }],
      notes: ['HTTPS is not served: port 443 is taken; port 8443 is taken; port 0 is taken'],
      isComplete: false,
    });
    taken.clear();
    expect(await listeners.listen(sources, { tls: true })).toEqual({
      addresses: [
        { host, port: 80 },
        { host, port: 443 },
      ],
      notes: [],
      isComplete: true,
    });
  });
});
