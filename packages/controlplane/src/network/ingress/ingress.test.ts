import * as crypto from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { issueCertificate } from '@kubewright/apimachinery';
import { Event, Pod, Secret, Service } from '@kubewright/apimachinery/core/v1';
import { Ingress } from '@kubewright/apimachinery/networking/v1';
import type { KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EmbeddedCluster } from '../../cluster/embedded-cluster.ts';

const namespace = 'default';
const wait = { timeout: 30_000 };

/** A server that echoes requests, and data on upgraded connections. */
const server = `
const { createServer } = require('node:http');
const server = createServer(async (asked, answer) => {
  let body = '';
  for await (const chunk of asked) body += chunk;
  const { host, 'x-forwarded-for': client, 'x-forwarded-proto': scheme } = asked.headers;
  answer.writeHead(201, { 'x-name': process.env.HOSTNAME }).end([asked.method, host, asked.url, body, client, scheme].join(' '));
});
server.on('upgrade', (asked, socket, head) => {
  if (asked.url === '/app/refuse')
    return socket.end('HTTP/1.1 403 Forbidden\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n2\\r\\nno\\r\\n0\\r\\n\\r\\n');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
  socket.write(head);
  socket.pipe(socket);
});
server.listen(8080, process.env.POD_IP);
`;

describe('Ingresses', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let created: Ingress;
  let at: { readonly host: string; readonly port: number };
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: {} });
    client = cluster.client();
    const container = {
      name: 'c',
      image: 'node:22',
      command: ['node', '-e', server],
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    };
    await client.resource(Pod).create(
      Pod({
        metadata: { name: 'web', namespace, labels: { app: 'web' } },
        spec: { terminationGracePeriodSeconds: 0, containers: [container] },
      }),
    );
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
    for (const [name, app] of [
      ['web', 'web'],
      ['empty', 'none'],
    ] as const) {
      await client
        .resource(Service)
        .create(Service({ metadata: { name, namespace }, spec: { selector: { app }, ports } }));
    }
    created = await create('web', {
      rules: [rule('web.example.com', '/app'), rule('empty.example.com', '/', 'empty')],
    });
    at = await addressOf('web');
    await vi.waitFor(async () => expect(await ask('web.example.com', '/app')).toMatch(/^201 /), wait);
  });
  afterAll(() => cluster?.stop());

  const create = (name: string, spec: NonNullable<Ingress['spec']>) =>
    client.resource(Ingress).create(Ingress({ metadata: { name, namespace }, spec }));
  const backend = (name: string) => ({ service: { name, port: { name: 'http' } } });
  const rule = (host: string, path: string, service = 'web') => ({
    host,
    http: { paths: [{ path, pathType: 'Prefix' as const, backend: backend(service) }] },
  });
  const addressOf = async (name: string): Promise<{ readonly host: string; readonly port: number }> => {
    const found = async () =>
      (await client.resource(Ingress).get({ namespace, name })).status?.loadBalancer?.ingress?.[0];
    await vi.waitFor(async () => expect(await found()).toBeDefined(), wait);
    const { ip = '', ports = [] } = (await found()) ?? {};
    return { host: ip, port: ports[0]?.port ?? 0 };
  };
  const ask = async (
    host: string,
    path: string,
    body?: string,
    { agent, ...headers }: { readonly agent?: Agent; readonly [name: string]: unknown } = {},
  ): Promise<string> => {
    const options = { ...at, path, headers: { host, ...(headers as Record<string, string>) }, agent };
    const asked = request({ ...options, ...(body !== undefined && { method: 'POST' }) }).end(body);
    const [answer] = await once(asked, 'response');
    return `${answer.statusCode} ${await text(answer)}`;
  };

  it('get the default class, and an address of this machine', async () => {
    expect(created.spec?.ingressClassName).toBe('kubewright');
    expect(at.host).toMatch(/^127\./);
    expect([80, 8080]).toContain(at.port);
  });

  it('send requests by host and path to services', async () => {
    expect(await ask('web.example.com', '/app/x?y=1')).toBe('201 GET web.example.com /app/x?y=1  127.0.0.1 http');
    expect(await ask('web.example.com', '/app', 'text')).toBe('201 POST web.example.com /app text 127.0.0.1 http');
    expect(await ask('web.example.com', '/other')).toBe('404 no Ingress rule matches\n');
    expect(await ask('other.example.com', '/app')).toBe('404 no Ingress rule matches\n');
    expect(await ask('empty.example.com', '/')).toBe('503 the service has no endpoints\n');
  });

  it('proxy upgraded connections', async () => {
    const headers = { host: 'web.example.com', connection: 'Upgrade', upgrade: 'websocket' };
    const asked = request({ ...at, path: '/app', headers }).end();
    const [answer, socket] = await once(asked, 'upgrade');
    expect(answer.statusCode).toBe(101);
    socket.write('hello');
    const [echo] = (await once(socket, 'data')) as [Buffer];
    expect(echo.toString()).toBe('hello');
    socket.destroy();
  });

  it('proxy data that a client sends together with a WebSocket handshake', async () => {
    const socket = connect(at);
    socket.end('GET /app HTTP/1.1\r\nHost: web.example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\nearly$/s);
  });

  it('proxy the response to a refused WebSocket', async () => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    expect(await ask('web.example.com', '/app/refuse', undefined, upgrade)).toBe('403 no');
  });

  it("keep the body of a request that offers a protocol upgrade like Java's client", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__', agent };
    for (const body of ['text', 'x'.repeat(200_000), 'again']) {
      expect(await ask('web.example.com', '/app', body, h2c)).toBe(
        `201 POST web.example.com /app ${body} 127.0.0.1 http`,
      );
    }
    agent.destroy();
  });

  describe('with TLS', () => {
    const certificateFor = (host: string) => {
      const times = { notBeforeMs: Date.now() - 3_600_000, notAfterMs: Date.now() + 3_600_000 };
      const subject = { commonName: 'authority' };
      const authority = issueCertificate({ subject, usage: 'authority', ...times }, crypto);
      const issuer = { key: authority.key, subject };
      const own = { subject: { commonName: host }, usage: 'server', hosts: [host], issuer, ...times } as const;
      return { ...issueCertificate(own, crypto), ca: authority.certificate };
    };
    const dataOf = ({ key, certificate }: { readonly key: string; readonly certificate: string }) => ({
      'tls.crt': Buffer.from(certificate).toString('base64'),
      'tls.key': Buffer.from(key).toString('base64'),
    });
    const portsOf = async () => {
      const { status } = await client.resource(Ingress).get({ namespace, name: 'secure' });
      return status?.loadBalancer?.ingress?.[0]?.ports?.map(({ port }) => port) ?? [];
    };
    const askTls = async (host: string, options: { readonly ca?: string; readonly servername?: string } = {}) => {
      const port = (await portsOf())[1] ?? 0;
      const tls = { servername: host, rejectUnauthorized: options.ca !== undefined, ...options, agent: false };
      const asked = requestTls({ host: at.host, port, path: '/', headers: { host }, ...tls }).end();
      const [answer] = await once(asked, 'response');
      const { subject } = (answer.socket as TLSSocket).getPeerCertificate();
      return `${subject.CN}: ${answer.statusCode} ${await text(answer)}`;
    };
    const notes = async () => {
      const { items } = await client.resource(Event).list({ namespace });
      return items
        .filter(({ involvedObject }) => involvedObject.name === 'secure')
        .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    };
    const secret = { metadata: { name: 'cert', namespace }, type: 'kubernetes.io/tls' };
    const first = certificateFor('tls.example.com');

    it('serve a self-signed certificate until the secret exists, and report it', async () => {
      const tls = [{ hosts: ['tls.example.com'], secretName: 'cert' }];
      await create('secure', { tls, defaultBackend: backend('web') });
      await expect
        .poll(notes, wait)
        .toEqual([
          'Warning InvalidCertificate secret "cert" does not exist, or is not of type kubernetes.io/tls; the hosts of this TLS entry are served with a self-signed certificate',
        ]);
      await expect.poll(async () => (await portsOf()).length, wait).toBe(2);
      expect([443, 8443]).toContain((await portsOf())[1]);
      expect(await askTls('tls.example.com')).toMatch(/^Kubewright Ingress: 201 GET tls.example.com/);
    });

    it("serve the secret's certificate, and pick up a renewed certificate immediately", async () => {
      await client.resource(Secret).create(Secret({ ...secret, data: dataOf(first) }));
      const served = () => askTls('tls.example.com', { ca: first.ca }).catch((error: Error) => error.message);
      await expect.poll(served, wait).toBe('tls.example.com: 201 GET tls.example.com /  127.0.0.1 https');
      const renewed = certificateFor('tls.example.com');
      const body = { data: dataOf(renewed) };
      await client.resource(Secret).patch({ namespace, name: 'cert' }, { type: 'merge', body });
      await expect
        .poll(() => askTls('tls.example.com', { ca: renewed.ca }).catch((error: Error) => error.message), wait)
        .toMatch(/^tls.example.com: 201/);
    });

    it('serve other hosts, and clients that send no server name, with the self-signed certificate', async () => {
      expect(await askTls('other.example.com')).toMatch(/^Kubewright Ingress: 201/);
      expect(await askTls('tls.example.com', { servername: '' })).toMatch(/^Kubewright Ingress: 201/);
      expect(await ask('tls.example.com', '/')).toMatch(/^201 .* http$/);
    });
  });

  it('serve HTTP even if the usual HTTPS ports are taken, and report the port of HTTPS', async () => {
    const taken = await EmbeddedCluster.start({ node: {} });
    try {
      const ingresses = taken.client().resource(Ingress);
      const named = (name: string, spec: NonNullable<Ingress['spec']>) =>
        ingresses.create(Ingress({ metadata: { name, namespace }, spec: { ...spec, defaultBackend: backend('web') } }));
      const portsOf = async (name: string) =>
        (await ingresses.get({ namespace, name })).status?.loadBalancer?.ingress?.[0]?.ports?.map(({ port }) => port);
      await named('plain', {});
      await expect.poll(() => portsOf('plain'), wait).toHaveLength(1);
      const { ip = '' } = (await ingresses.get({ namespace, name: 'plain' })).status?.loadBalancer?.ingress?.[0] ?? {};
      const others = [443, 8443].map((port) =>
        createServer()
          .on('error', () => undefined)
          .listen(port, ip),
      );
      await named('secure', { tls: [{ secretName: 'cert' }] });
      await expect.poll(() => portsOf('secure'), wait).toHaveLength(2);
      const [, https] = (await portsOf('secure')) ?? [];
      const { items } = await taken.client().resource(Event).list({ namespace });
      expect(items.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(
          `^HTTPS is served on port ${https}, because 443 and 8443 are not available: .*EADDRINUSE`,
        ),
      );
      for (const other of others) other.close();
    } finally {
      await taken.stop();
    }
  });

  it('report unsupported backends', async () => {
    const resource = { kind: 'Bucket', name: 'b', apiGroup: 'example.com' };
    await create('bucket', { defaultBackend: { resource } });
    const notes = async () => {
      const { items } = await client.resource(Event).list({ namespace });
      return items.filter(({ involvedObject }) => involvedObject.name === 'bucket').map(({ message }) => message);
    };
    await expect.poll(notes, wait).toEqual(['backends other than services are not supported']);
  });

  it('ignore Ingresses of other classes and deleted Ingresses', async () => {
    await create('other', { ingressClassName: 'nginx', rules: [rule('nginx.example.com', '/')] });
    await client.resource(Ingress).delete({ namespace, name: 'secure' });
    await expect.poll(() => ask('nginx.example.com', '/'), wait).toBe('404 no Ingress rule matches\n');
    const { status } = await client.resource(Ingress).get({ namespace, name: 'other' });
    expect(status?.loadBalancer?.ingress).toBeUndefined();
  });
});
