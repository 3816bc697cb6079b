import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { VirtualClock } from '@kubewright/apimachinery';
import { Service } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostSockets } from '../sockets.ts';
import { DnsServer } from './dns-server.ts';
import { ServiceZone } from './service-zone.ts';
import { StreamMessages, withLength } from './stream-messages.ts';
import { query } from './testdata/query.ts';

describe('DnsServer', () => {
  const zone = new ServiceZone('cluster.local');
  const addresses = Array.from({ length: 100 }, (_, i) => `10.244.0.${i + 2}`);
  const forwarded: Uint8Array[] = [];
  const resolver = new Resolver({ timeout: 30_000, tries: 1 });
  const clock = new VirtualClock();
  const address = { host: '127.0.0.1', port: 0 };
  let server: DnsServer;
  beforeAll(async () => {
    const service = Service({ metadata: { name: 'many', namespace: 'a' }, spec: { clusterIP: 'None' } });
    const slice = EndpointSlice({
      metadata: { name: 'many' },
      addressType: 'IPv4',
      endpoints: addresses.map((one) => ({ addresses: [one] })),
      ports: [],
    });
    zone.set({ namespace: 'a', name: 'many' }, { service, slices: [slice] });
    const web = Service({ metadata: { name: 'web', namespace: 'a' }, spec: { clusterIP: '10.96.0.9' } });
    zone.set({ namespace: 'a', name: 'web' }, { service: web, slices: [] });
    const free = await hostSockets.listen(address);
    address.port = (free.address() as { port: number }).port;
    await new Promise((resolve) => free.close(resolve));
    const upstream = async (message: Buffer): Promise<Buffer | undefined> => {
      forwarded.push(message);
      if (message.includes('busy')) return undefined;
      throw new Error('no network');
    };
    server = await DnsServer.listen(address, { zone, upstream, sockets: hostSockets, clock });
    resolver.setServers([`127.0.0.1:${address.port}`]);
  });
  afterAll(() => server[Symbol.dispose]());

  it('resolves services for a standard client', async () => {
    expect(await resolver.resolve4('web.a.svc.cluster.local')).toEqual(['10.96.0.9']);
    expect(await resolver.reverse('10.96.0.9')).toEqual(['web.a.svc.cluster.local']);
    await expect(resolver.resolve4('no.a.svc.cluster.local')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolve6('web.a.svc.cluster.local')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('sends long answers over TCP', async () => {
    expect((await resolver.resolve4('many.a.svc.cluster.local')).sort()).toEqual([...addresses].sort());
  });

  it('forwards names outside the zone, and fails if no server answers', async () => {
    await expect(resolver.resolve4('example.com')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    expect(forwarded.length).toBeGreaterThan(0);
  });

  it('refuses names outside the zone if too many queries are in progress', async () => {
    await expect(resolver.resolve4('busy.example.com')).rejects.toMatchObject({ code: 'EREFUSED' });
  });

  it('answers several queries on a connection in order, and closes an idle connection', async () => {
    const socket = connect(address);
    const queries = ['web.a.svc.cluster.local', 'no.a.svc.cluster.local'].map((name, id) =>
      withLength(query(name, id)),
    );
    const messages = new StreamMessages();
    const answers: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => answers.push(...messages.add(chunk)));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const bytes = Buffer.concat(queries);
    socket.write(bytes.subarray(0, 5));
    socket.write(bytes.subarray(5));
    await expect
      .poll(() => answers.map((answer) => [answer.readUInt16BE(0), (answer[3] ?? 0) & 15]))
      .toEqual([
        [0, 0],
        [1, 3],
      ]);
    await clock.advance(10_000);
    await closed;
  });

  it('survives malformed queries', async () => {
    const socket = connect(address);
    socket.end(Buffer.from([0, 3, 1, 2, 3]));
    await new Promise((resolve) => socket.on('close', resolve).on('error', resolve).resume());
    expect(await resolver.resolve4('web.a.svc.cluster.local')).toEqual(['10.96.0.9']);
  });
});
