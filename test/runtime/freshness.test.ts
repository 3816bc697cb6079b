import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@kubewright/apimachinery';
import { clientFromConfig, type HttpTransport, loadClientConfig, processEnvironment } from '@kubewright/client';
import { enqueueForObject, Manager, requestController, silentLogger, watch } from '@kubewright/runtime';
import { describe, expect, it, type TestContext } from 'vitest';
import { certificates, TlsServer } from '../../packages/client/src/transport/testdata/tls-server.ts';
import { fastClock } from './fast-clock.ts';
import { FaultProxy } from './fault-proxy.ts';
import { polled } from './polled.ts';
import { NoteKind } from './programs/note.ts';
import { StubApi } from './stub-api.ts';

// Tests the runtime's default timeouts, not test settings: its clock runs fifty times faster than the sockets. Uses no
// cluster, regardless of `USE_EXISTING_CLUSTER`, because a real cluster cannot be made to fall silent. Not covered:
// kernels whose buffers hide a dead peer for longer, and proxies that answer PINGs themselves.

const times = 50;
type Ends = Pick<TestContext, 'onTestFinished'>;

interface Fixture {
  readonly api: StubApi;
  readonly proxy: FaultProxy;
  readonly tls: TlsServer;
  /** The folder with the client's credentials. */
  readonly folder: string;
  readonly clock: Clock;
  /** The text that a reconcile last saw, by note name. */
  readonly seen: Map<string, string>;
  /** Waits until a reconcile has seen the text; returns the elapsed time on the runtime's clock, in milliseconds. */
  readonly sees: (name: string, text: string) => Promise<number>;
}

/** Options for a fixture. */
interface Wanted {
  readonly protocol: 'h2' | 'http/1.1';
  readonly user?: object;
  readonly tuning?: ConstructorParameters<typeof HttpTransport>[0]['tuning'];
}

/** Starts a manager that watches notes of a stub server through a proxy, like a program in a cluster. */
async function start({ onTestFinished }: Ends, options: Wanted): Promise<Fixture> {
  const api = new StubApi();
  api.write('a', 'first');
  const tls = await TlsServer.start(api.handle);
  const plain = createServer(api.handle);
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const isH2 = options.protocol === 'h2';
  const target = isH2 ? Number(new URL(tls.url).port) : (plain.address() as AddressInfo).port;
  const proxy = await FaultProxy.to(target);
  const folder = mkdtempSync(join(tmpdir(), 'kw-fresh-'));
  const server = `${isH2 ? 'https' : 'http'}://127.0.0.1:${proxy.port}`;
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(configOf(server, options.user ?? {})));
  const clock = fastClock(times);
  const environment = { ...processEnvironment(), clock };
  const client = clientFromConfig(await loadClientConfig({ kubeconfig, environment }), {
    clock,
    tuning: options.tuning ?? {},
  });
  const seen = new Map<string, string>();
  const manager = new Manager({
    client,
    clock,
    controllers: [
      requestController({
        name: 'reader',
        for: NoteKind,
        watches: [watch(NoteKind, enqueueForObject())],
        reconcile: async (request, { cache }) => {
          seen.set(request.name, cache.lister(NoteKind).get(request)?.spec.text ?? '');
        },
      }),
    ],
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
  });
  manager.run().catch(() => {});
  onTestFinished(async () => {
    for (const each of [manager, client, proxy, tls]) await each[Symbol.asyncDispose]();
    plain.close();
    plain.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });
  const sees = async (name: string, text: string): Promise<number> => {
    const startMs = clock.monotonic();
    await polled(() => seen.get(name) === text, `a reconcile sees "${text}"`);
    return clock.monotonic() - startMs;
  };
  await sees('a', 'first');
  await polled(() => api.watches.length > 0, 'the watch is open');
  return { api, proxy, tls, folder, clock, seen, sees };
}

function configOf(server: string, user: object): object {
  const isTls = server.startsWith('https');
  const cluster = {
    server,
    ...(isTls && { 'certificate-authority-data': Buffer.from(certificates.ca).toString('base64') }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'stub', cluster }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'stub', context: { cluster: 'stub', user: 'user' } }],
    'current-context': 'stub',
  };
}

/** Maximum staleness on HTTP/2: the interval between PINGs, the PING timeout, and a backoff. */
const pingBoundMs = 30_000 + 15_000 + 60_000;
/** Maximum staleness on HTTP/1.1, which has no PING: 150 s without bookmarks, a version check every 90 s, and a backoff. */
const bookmarkBoundMs = 150_000 + 90_000 + 60_000;

// Each test waits in real time, so they run concurrently.
describe.concurrent('A cache stays fresh', () => {
  it('after PING detects a half-open connection (HTTP/2)', { timeout: 60_000 }, async (test) => {
    const { api, proxy, sees } = await start(test, { protocol: 'h2' });
    proxy.swallow();
    api.write('a', 'after');
    expect(await sees('a', 'after')).toBeLessThan(pingBoundMs);
  });

  it('but not within that time without PING, because the half-open connection stays in use until silence reveals it', {
    timeout: 60_000,
  }, async (test) => {
    const { api, proxy, seen, clock } = await start(test, {
      protocol: 'h2',
      tuning: { keepAliveIntervalMs: 36_000_000 },
    });
    proxy.swallow();
    api.write('a', 'after');
    const startMs = clock.monotonic();
    const passed = (): number => clock.monotonic() - startMs;
    const isSeen = (): boolean => seen.get('a') === 'after';
    await polled(() => isSeen() || passed() > pingBoundMs, 'the time is over');
    // Time jumps on a busy machine, so the cache may have recovered after the bound but before this check.
    expect(isSeen() ? passed() : Number.POSITIVE_INFINITY).toBeGreaterThan(pingBoundMs);
  });

  it('after silence reveals a half-open connection (HTTP/1.1)', { timeout: 60_000 }, async (test) => {
    const { api, proxy, sees } = await start(test, { protocol: 'http/1.1' });
    proxy.swallow();
    api.write('a', 'after');
    expect(await sees('a', 'after')).toBeLessThan(bookmarkBoundMs);
  });

  it.for(['h2', 'http/1.1'] as const)(
    'behind a proxy that drops idle connections (%s)',
    { timeout: 60_000 },
    async (protocol, test) => {
      const { api, proxy, sees } = await start(test, { protocol });
      proxy.dropIdle(100);
      for (let round = 1; round <= 3; round++) {
        const before = proxy.dropped;
        await polled(() => proxy.dropped > before, 'an idle connection is dropped');
        api.write('a', `round ${round}`);
        await sees('a', `round ${round}`);
      }
      // The watch resumes without another list.
      expect(api.lists).toBeLessThanOrEqual(2);
    },
  );

  it('when the server opens watches but sends nothing on them', { timeout: 60_000 }, async (test) => {
    const { api, proxy, sees } = await start(test, { protocol: 'h2' });
    api.isMute = true;
    const before = api.watches.length;
    await proxy.close();
    await proxy.reopen();
    await polled(() => api.watches.length > before, 'a mute watch is open');
    api.write('a', 'unannounced');
    api.isMute = false;
    expect(await sees('a', 'unannounced')).toBeLessThan(bookmarkBoundMs);
  });

  it('when the token file is replaced and the old token is rejected', { timeout: 60_000 }, async (test) => {
    const tokens = mkdtempSync(join(tmpdir(), 'kw-token-'));
    test.onTestFinished(() => rmSync(tokens, { recursive: true, force: true }));
    const tokenFile = join(tokens, 'token');
    writeFileSync(tokenFile, 'one');
    const { api, proxy, sees } = await start(test, { protocol: 'h2', user: { tokenFile } });
    api.admits = (request) => request.headers.authorization === 'Bearer two';
    await proxy.close();
    await proxy.reopen();
    await polled(() => api.refused > 0, 'the old token is refused');
    writeFileSync(tokenFile, 'two');
    api.write('a', 'with the new token');
    expect(await sees('a', 'with the new token')).toBeLessThan(bookmarkBoundMs);
  });

  it('when the client certificate file is replaced and the old certificate is rejected', {
    timeout: 60_000,
  }, async (test) => {
    const files = mkdtempSync(join(tmpdir(), 'kw-cert-'));
    test.onTestFinished(() => rmSync(files, { recursive: true, force: true }));
    const user = { 'client-certificate': join(files, 'cert.pem'), 'client-key': join(files, 'key.pem') };
    const put = ({ cert, key }: { readonly cert: string; readonly key: string }): void => {
      writeFileSync(user['client-certificate'], cert);
      writeFileSync(user['client-key'], key);
    };
    put(certificates.client);
    const { api, proxy, sees } = await start(test, { protocol: 'h2', user });
    const serialOf = (request: unknown): string =>
      ((request as Http2ServerRequest).stream.session!.socket as TLSSocket).getPeerCertificate().serialNumber;
    const serials = new Set<string>();
    const first = await serialSeen(api, serialOf, proxy);
    api.admits = (request) => {
      serials.add(serialOf(request));
      return serialOf(request) !== first;
    };
    await proxy.close();
    await proxy.reopen();
    await polled(() => api.refused > 0, 'the old certificate is refused');
    put(certificates.renewed);
    api.write('a', 'with the new certificate');
    expect(await sees('a', 'with the new certificate')).toBeLessThan(bookmarkBoundMs);
    expect(serials.size).toBe(2);
  });

  it.for(['h2', 'http/1.1'] as const)(
    'when the API server is unavailable for a while (%s)',
    { timeout: 60_000 },
    async (protocol, test) => {
      const { api, proxy, sees } = await start(test, { protocol });
      const lists = api.lists;
      await proxy.close();
      api.write('a', 'while it was away');
      api.write('b', 'new');
      await proxy.reopen();
      expect(await sees('a', 'while it was away')).toBeLessThan(pingBoundMs);
      await sees('b', 'new');
      expect(api.lists).toBeLessThanOrEqual(lists + 1);
    },
  );

  it('when the server sends GOAWAY', { timeout: 60_000 }, async (test) => {
    const { api, proxy, tls, sees } = await start(test, { protocol: 'h2' });
    const connections = proxy.taken;
    for (const session of tls.sessions) session.goaway();
    api.write('a', 'on the old connection, or the new');
    await sees('a', 'on the old connection, or the new');
    for (const session of tls.sessions) session.close();
    for (const session of tls.sessions) session.destroy();
    api.write('a', 'on the new connection');
    expect(await sees('a', 'on the new connection')).toBeLessThan(pingBoundMs);
    expect(proxy.taken).toBeGreaterThan(connections);
  });
});

/** Returns the serial number of the current certificate, as shown by the next request. */
async function serialSeen(api: StubApi, serialOf: (request: unknown) => string, proxy: FaultProxy): Promise<string> {
  let serial: string | undefined;
  api.admits = (request) => {
    serial ??= serialOf(request);
    return true;
  };
  await proxy.close();
  await proxy.reopen();
  await polled(() => serial !== undefined, 'a request shows its certificate');
  return serial ?? '';
}
