import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, request as requestHttp, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { seededRandom } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImageStore } from '../image-store.ts';
import { FastClock } from './testdata/fast-clock.ts';
import { testCertificates } from './testdata/test-authority.ts';
import { TestImage } from './testdata/test-image.ts';
import { TestRegistry } from './testdata/test-registry.ts';

const password = 'pa:ss';

/** A proxy that connects every host name to the same port on this machine. Accepts only one user. */
class TestProxy implements AsyncDisposable {
  readonly log: string[] = [];
  /** Statuses of the first responses; later requests are accepted. */
  readonly failures: number[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #protocol: 'http' | 'https';

  private constructor(certificates?: { readonly key: string; readonly cert: string }) {
    this.#server = certificates ? createHttpsServer(certificates) : createServer();
    this.#protocol = certificates ? 'https' : 'http';
  }

  static async start(port: number, certificates?: { readonly key: string; readonly cert: string }): Promise<TestProxy> {
    const proxy = new TestProxy(certificates);
    const server = proxy.#server;
    const isKnown = (credentials: string | undefined): boolean => credentials === `Basic ${btoa(`ada:${password}`)}`;
    server.on('connection', (socket) => proxy.#sockets.add(socket));
    server.on('connect', ({ url, headers }, socket) => {
      proxy.log.push(`CONNECT ${url}`);
      const failure = proxy.failures.shift();
      if (failure !== undefined) {
        socket.end(`HTTP/1.1 ${failure} Failed\r\ncontent-length: 0\r\n\r\n`);
        return;
      }
      if (!isKnown(headers['proxy-authorization'])) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      const far = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        far.pipe(socket).pipe(far);
      });
      for (const end of [far, socket]) end.on('error', () => undefined);
      socket.once('close', () => far.destroy());
    });
    server.on('request', (request, response) => {
      const { pathname, host } = new URL(request.url ?? '');
      proxy.log.push(`${request.method} ${host}${pathname}`);
      const { 'proxy-authorization': credentials, ...headers } = request.headers;
      if (!isKnown(credentials)) {
        response.writeHead(407).end();
        return;
      }
      const far = requestHttp({ host: '127.0.0.1', port, path: pathname, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      far.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  url(word = password): string {
    return `${this.#protocol}://ada:${encodeURIComponent(word)}@127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('ImageStore.pull through a proxy', () => {
  let image: TestImage;
  let store: ImageStore;
  let home: string;
  beforeEach(() => {
    image = new TestImage(['one', 'two']);
    store = new ImageStore(join(image.folder, 'store'));
    home = mkdtempSync(join(image.folder, 'home-'));
  });
  afterEach(() => image[Symbol.dispose]());

  const portOf = ({ host }: TestRegistry): number => Number(host.split(':')[1]);
  const pull = (
    name: string,
    more: { readonly env: Record<string, string>; readonly plainHttp?: readonly string[]; readonly caFile?: string },
  ) =>
    store.pull(name, {
      clock: new FastClock(),
      random: seededRandom(1),
      signal: new AbortController().signal,
      ...more,
      env: { HOME: home, ...more.env },
    });
  const serve = (registry: TestRegistry): void =>
    void registry.addLayout(image.layout, { repository: 'team/app', tag: '1' });

  it('opens a tunnel for HTTPS, and verifies the certificate of the registry', async () => {
    const { authority, server } = testCertificates('registry.test');
    await using registry = await TestRegistry.start(server);
    await using proxy = await TestProxy.start(portOf(registry));
    serve(registry);
    mkdirSync(join(home, 'certificates'));
    const caFile = join(home, 'certificates', 'ca.pem');
    writeFileSync(caFile, authority);
    const env = { https_proxy: proxy.url() };
    expect(await pull('registry.test/team/app:1', { env, caFile })).toMatchObject({ name: 'registry.test/team/app:1' });
    expect(new Set(proxy.log)).toEqual(new Set(['CONNECT registry.test:443']));
    await expect(pull('other.test/team/app:1', { env, caFile })).rejects.toThrow(/certificate/);
  });

  it('verifies an HTTPS proxy with the same certificate authorities as the registry', async () => {
    const proxyCertificates = testCertificates('127.0.0.1');
    const registryCertificates = testCertificates('registry.test');
    await using secure = await TestRegistry.start(registryCertificates.server);
    await using plain = await TestRegistry.start();
    await using tunnel = await TestProxy.start(portOf(secure), proxyCertificates.server);
    await using relay = await TestProxy.start(portOf(plain), proxyCertificates.server);
    for (const registry of [secure, plain]) serve(registry);
    const caFile = join(home, 'ca.pem');
    writeFileSync(caFile, registryCertificates.authority);
    const [name, plainHttp] = ['registry.test:5000/team/app:1', ['registry.test:5000']];
    const env = { HTTPS_PROXY: tunnel.url(), HTTP_PROXY: relay.url() };
    await expect(pull('registry.test/team/app:1', { env, caFile })).rejects.toThrow(/through proxy .*certificate/);
    await expect(pull(name, { env, caFile, plainHttp })).rejects.toThrow(/certificate/);
    writeFileSync(caFile, registryCertificates.authority + proxyCertificates.authority);
    await pull('registry.test/team/app:1', { env, caFile });
    await pull(name, { env, caFile, plainHttp });
  });

  it('retries when the proxy fails temporarily, not when it rejects the tunnel', async () => {
    const { authority, server } = testCertificates('registry.test');
    await using registry = await TestRegistry.start(server);
    await using proxy = await TestProxy.start(portOf(registry));
    serve(registry);
    const caFile = join(home, 'ca.pem');
    writeFileSync(caFile, authority);
    const env = { HTTPS_PROXY: proxy.url() };
    proxy.failures.push(503, 502);
    await pull('registry.test/team/app:1', { env, caFile });
    proxy.failures.push(403, 403);
    await expect(pull('registry.test/team/other:1', { env, caFile })).rejects.toThrow('responded with status 403');
    expect(proxy.failures).toHaveLength(1);
  });

  it('closes the connection to a silent proxy when the pull is aborted', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const connected = new Promise<Socket>((resolve) => server.once('connection', (socket) => resolve(socket.resume())));
    const abort = new AbortController();
    const env = { HOME: home, HTTPS_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const context = { clock: new FastClock(), random: seededRandom(1), signal: abort.signal };
    const pulled = expect(store.pull('registry.test/team/app:1', { ...context, env })).rejects.toThrow('enough');
    const socket = await connected;
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    abort.abort(new Error('enough'));
    await pulled;
    await closed;
    await new Promise((resolve) => server.close(resolve));
  });

  it('sends requests without HTTPS to the proxy', async () => {
    await using registry = await TestRegistry.start();
    await using proxy = await TestProxy.start(portOf(registry));
    serve(registry);
    const plainHttp = ['registry.test:5000'];
    await pull('registry.test:5000/team/app:1', { env: { HTTP_PROXY: proxy.url() }, plainHttp });
    expect(proxy.log[0]).toBe('GET registry.test:5000/v2/team/app/manifests/1');
    expect(registry.seen.every(({ headers }) => headers['proxy-authorization'] === undefined)).toBe(true);
  });

  it('goes directly to registries that NO_PROXY lists, and to those of this machine', async () => {
    await using registry = await TestRegistry.start();
    await using proxy = await TestProxy.start(1);
    serve(registry);
    const env = { HTTP_PROXY: proxy.url(), HTTPS_PROXY: proxy.url(), NO_PROXY: '.test' };
    await pull(`${registry.host}/team/app:1`, { env });
    await expect(pull('registry.test/team/app:1', { env })).rejects.toThrow(/registry\.test/);
    expect(proxy.log).toEqual([]);
  });

  it('reports a proxy that cannot be used, without its password', async () => {
    await using proxy = await TestProxy.start(1);
    const failure = async (address: string): Promise<string> => {
      const env = { HTTPS_PROXY: address };
      return ((await pull('registry.test/team/app:1', { env }).catch((error: Error) => error)) as Error).message;
    };
    const what = 'cannot pull registry.test/team/app:1: ';
    const connecting = 'cannot connect to registry.test:443 through proxy ';
    expect(await failure(proxy.url('wrong'))).toMatch(
      new RegExp(`^${what}${connecting}127\\.0\\.0\\.1:\\d+: the proxy responded with status 407$`),
    );
    expect(await failure('http://127.0.0.1:1')).toBe(
      `${what}${connecting}127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1`,
    );
    expect(await failure('socks5://ada:secret@127.0.0.1:1')).toBe(
      `${what}cannot use the proxy in HTTPS_PROXY: only http and https proxies are supported`,
    );
    expect(await failure('http://ada:secret@a b')).toBe(
      `${what}cannot use the proxy in HTTPS_PROXY: the address of the proxy is not a valid URL`,
    );
  });
});
