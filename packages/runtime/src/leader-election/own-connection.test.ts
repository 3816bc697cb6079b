import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom, systemClock } from '@kubewright/apimachinery';
import { HttpTransport, KubernetesClient } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { LeaderElector } from './leader-elector.ts';

/** The number of connections an HTTP/1.1 transport keeps for ordinary calls. */
const slowCalls = 32;

describe('lease connections', () => {
  it('acquire a lease while slow calls hold every ordinary HTTP/1.1 connection', async () => {
    let slow = 0;
    const server = createServer((request, response) => {
      if (!request.url?.includes('/leases')) {
        slow++;
        return;
      }
      const isRead = request.method === 'GET';
      response.statusCode = isRead ? 404 : 201;
      response.setHeader('content-type', 'application/json');
      const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
      response.end(JSON.stringify(isRead ? missing : { metadata: { name: 'lock' }, spec: { holderIdentity: 'me' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const transport = new HttpTransport({ server: `http://127.0.0.1:${port}` });
    const stop = new AbortController();
    try {
      for (let i = 0; i < slowCalls; i++) {
        transport.request({ method: 'POST', path: `/slow/${i}`, signal: stop.signal }).catch(() => {});
      }
      await expect.poll(() => slow, { timeout: 30_000 }).toBe(slowCalls);
      const elector = new LeaderElector({
        id: 'lock',
        namespace: 'default',
        identity: 'me',
        client: new KubernetesClient({ transport }),
        clock: systemClock,
        random: seededRandom(1),
        log: silentLogger,
      });
      await new Promise<void>((resolve) => {
        void elector.run(stop.signal, async () => resolve());
      });
      expect(elector.terms).toBe(1);
    } finally {
      stop.abort();
      await transport[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    }
  });
});
