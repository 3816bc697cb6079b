import { Buffer } from 'node:buffer';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import { buffer, text } from 'node:stream/consumers';
import { deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { sleep } from '@kubewright/apimachinery';
import { Pod, Service } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { EmbeddedCluster } from './embedded-cluster.ts';
import { readKubeconfig } from './testdata/read-kubeconfig.ts';

const pods = '/api/v1/namespaces/default/pods';
const services = '/api/v1/namespaces/default/services';

/** Creates a server that describes each request in its response, redirects below /moved, and echoes WebSocket messages. */
function echoServer() {
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const { method, url = '', headers } = incoming;
    if (url.startsWith('/page')) return sendPage(response, url);
    if (url === '/moved') response.writeHead(302, { location: '/there?x=1' });
    else if (url === '/away') response.writeHead(302, { location: 'http://example.com/' });
    else response.writeHead(url === '/missing' ? 404 : 200, { 'x-own': 'yes' });
    response.end(JSON.stringify({ method, url, headers, body: await text(incoming) }));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (incoming, socket, head) =>
    sockets.handleUpgrade(incoming, socket, head, (one) => one.on('message', (data) => one.send(`echo ${data}`))),
  );
  return server;
}

/** A page in Latin 1, with links that lead through the proxy (/b and /e) and others. */
const page = Buffer.from(
  '<!DOCTYPE html><p title="/a">é</p><A class="ü" HREF=\'/b?x=1&amp;y=ö&mdash;\'>b</A><img src="c.png"><a href="http://x.org/d">d</a><a href=/e>e</a>',
  'latin1',
);

function sendPage(response: ServerResponse, url: string): void {
  const [, encoding = ''] = url.split('?encoding=');
  const packed = { '': page, gzip: gzipSync(page), deflate: deflateRawSync(page) }[encoding];
  response.writeHead(200, {
    'content-type': 'text/html',
    'content-length': packed?.length ?? 0,
    ...(encoding !== '' && { 'content-encoding': encoding }),
  });
  response.end(packed);
}

describe('proxies to pods and services', () => {
  let cluster: EmbeddedCluster;
  let tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({
      node: {
        driver: 'inproc',
        programs: {
          web: async ({ network, clock, signal }) => {
            const server = echoServer();
            network.listen(8080, (connection) => void server.emit('connection', connection));
            await sleep(clock, { ms: 86_400_000, signal });
          },
        },
      },
    });
    tls = readKubeconfig(cluster.kubeconfig);
    const client = cluster.client();
    const metadata = { name: 'web', namespace: 'default', labels: { app: 'web' } };
    const ports = [{ name: 'http', containerPort: 8080 }];
    await client.resource(Pod).create(Pod({ metadata, spec: { containers: [{ name: 'c', image: 'web', ports }] } }));
    const service = { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] };
    await client.resource(Service).create(Service({ metadata, spec: service }));
    const empty = { ...metadata, name: 'empty' };
    await client.resource(Service).create(Service({ metadata: empty, spec: { ...service, selector: { app: 'no' } } }));
    await vi.waitUntil(async () => (await send('GET', `${services}/web:http/proxy/`)).status === 200, 20_000);
  });
  afterAll(() => cluster.stop());

  async function send(method: string, path: string, options: { readonly body?: string } = {}) {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const length = { 'content-length': Buffer.byteLength(options.body ?? '') };
      const headers = { 'x-asked': 'a', authorization: 'Basic secret', 'content-type': 'text/plain', ...length };
      request(`${cluster.url}${path}`, { ...tls, method, headers }, resolve)
        .on('error', reject)
        .end(options.body);
    });
    const body = await text(message);
    const { statusCode: status, headers } = message;
    return { status, headers, body };
  }
  const seen = (body: string) =>
    JSON.parse(body) as { method: string; url: string; headers: IncomingHttpHeaders; body: string };

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'])(
    'passes a %s request on to the pod, with its path, query and body',
    async (method) => {
      const { status, headers, body } = await send(method, `${pods}/web/proxy/a/b%20c/?x=1&y=%2F`, { body: 'hello' });
      expect([status, headers['x-own']]).toEqual([200, 'yes']);
      expect(seen(body)).toMatchObject({
        method,
        url: '/a/b%20c/?x=1&y=%2F',
        body: 'hello',
        headers: { 'x-asked': 'a' },
      });
    },
  );

  it("does not pass on the client's credentials", async () => {
    const { headers } = seen((await send('GET', `${pods}/web:8080/proxy/`)).body);
    expect(headers).not.toHaveProperty('authorization');
    expect(Object.keys(headers).filter((name) => name.startsWith('x-remote'))).toEqual([]);
    expect(headers['x-forwarded-uri']).toBe(`${pods}/web:8080/proxy/`);
  });

  it('passes on failures of the pod', async () => {
    expect((await send('GET', `${pods}/web/proxy/missing`)).status).toBe(404);
  });

  it('finds the pods of a service by the number and the name of its port', async () => {
    for (const name of ['web:80', 'web:http', 'http:web:80']) {
      expect(seen((await send('GET', `${services}/${name}/proxy/x`)).body).url).toBe('/x');
    }
  });

  it('redirects to a path with which relative links work', async () => {
    const { status, headers } = await send('GET', `${pods}/web/proxy?x=1`);
    expect([status, headers.location]).toEqual([301, `${pods}/web/proxy/?x=1`]);
  });

  it('rewrites redirects to the pod itself to lead through the proxy', async () => {
    expect((await send('GET', `${pods}/web/proxy/moved`)).headers.location).toBe(`${pods}/web/proxy/there?x=1`);
    expect((await send('GET', `${pods}/web/proxy/away`)).headers.location).toBe('http://example.com/');
  });

  it.each(['', 'gzip', 'deflate'])(
    'rewrites the links of a page to lead through the proxy (encoding %j)',
    async (encoding) => {
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        const path = `${pods}/web/proxy/page?encoding=${encoding}`;
        request(`${cluster.url}${path}`, { ...tls }, resolve)
          .on('error', reject)
          .end();
      });
      const bytes = await buffer(message);
      const unpack = { '': (same: Buffer) => same, gzip: gunzipSync, deflate: inflateRawSync }[encoding];
      const prefix = `${pods}/web/proxy`;
      const expected = page.toString('latin1').replace('/b?', `${prefix}/b?`).replace('=/e', `=${prefix}/e`);
      expect(unpack?.(bytes).toString('latin1')).toBe(expected);
      expect(message.headers['content-encoding'] ?? '').toBe(encoding);
    },
  );

  it('passes on OPTIONS', async () => {
    expect(seen((await send('OPTIONS', `${pods}/web/proxy/x`)).body).method).toBe('OPTIONS');
  });

  it('connects the client and the pod when they switch protocols', async () => {
    const socket = new WebSocket(`${cluster.url.replace('https', 'wss')}${pods}/web/proxy/ws`, tls);
    const said = await new Promise((resolve, reject) => {
      socket
        .on('open', () => socket.send('hi'))
        .on('message', (data) => resolve(String(data)))
        .on('error', reject);
    });
    expect(said).toBe('echo hi');
    socket.terminate();
  });

  it.each([
    [`${pods}/none/proxy/`, 404, 'pods "none" not found'],
    [`${pods}/a:b:c/proxy/`, 400, 'invalid pod request "a:b:c"'],
    [`${pods}/web:x/proxy/`, 400, 'invalid port "x"'],
    [`${pods}/web:9/proxy/`, 503, 'error trying to reach service: '],
    [`${services}/none/proxy/`, 404, 'endpoints "none" not found'],
    [`${services}/web:81/proxy/`, 503, 'no service port 81 found for service "web"'],
    [`${services}/empty:80/proxy/`, 503, 'no endpoints available for service "empty'],
  ])('reports why %s cannot be reached', async (path, status, message) => {
    const answer = await send('GET', path);
    expect(JSON.parse(answer.body)).toMatchObject({ code: status, message: expect.stringContaining(message) });
  });
});
