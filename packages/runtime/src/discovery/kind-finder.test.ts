import { VirtualClock } from '@kubewright/apimachinery';
import type { ClientCall, RestMapper } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { kindFinder } from './kind-finder.ts';

const target = { group: 'example.com', version: 'v1', kind: 'Echo', resource: 'echos' };
const call = (path: string): ClientCall => ({
  verb: 'get',
  target,
  attempt: 1,
  request: { method: 'GET', path, headers: {} },
});

/** Creates a server with the given collections and matching discovery. */
function serverWith(plurals: Record<string, string>) {
  const paths: string[] = [];
  let discovered = 0;
  let read = 0;
  let kept = false;
  let readable = true;
  const mapper = (): RestMapper =>
    ({
      forKind: (kind: { readonly version: string }) =>
        plurals[kind.version] === undefined ? undefined : { plural: plurals[kind.version] },
      resources: Object.keys(plurals).map((version) => ({ ...target, version, plural: plurals[version] })),
    }) as unknown as RestMapper;
  return {
    paths,
    discovered: () => discovered,
    /** Number of requests to the server itself. */
    read: () => read,
    hide: () => (readable = false),
    discovery: {
      mapper: async () => {
        discovered++;
        if (!kept) read++;
        if (!readable) throw new Error('no discovery');
        kept = true;
        return mapper();
      },
      invalidate: () => {
        kept = false;
      },
    },
    next: async (each: ClientCall) => {
      paths.push(each.request.path);
      const has = Object.entries(plurals).some(([version, plural]) =>
        new RegExp(`/${version}/(namespaces/[^/]+/)?${plural}(/|\\?|$)`).test(each.request.path),
      );
      const there = has && !each.request.path.endsWith('/missing');
      return { status: there ? 200 : 404, headers: {}, body: (async function* () {})() };
    },
  };
}

describe('kindFinder', () => {
  it('discovers the plural once if the guess is wrong', async () => {
    const server = serverWith({ v1: 'echoes' });
    const find = kindFinder({ discovery: server.discovery, clock: new VirtualClock(), explain: true });
    const base = '/apis/example.com/v1';
    expect((await find(call(`${base}/namespaces/echos/echos/echos?x=echos`), server.next)).status).toBe(200);
    const asked = server.discovered();
    expect((await find(call(`${base}/echos?watch=true`), server.next)).status).toBe(200);
    expect(server.paths).toEqual([
      `${base}/namespaces/echos/echos/echos?x=echos`,
      `${base}/namespaces/echos/echoes/echos?x=echos`,
      `${base}/echoes?watch=true`,
    ]);
    expect(server.discovered()).toBe(asked);
  });

  it('passes on a 404 for the object', async () => {
    const server = serverWith({ v1: 'echos' });
    const find = kindFinder({ discovery: server.discovery, clock: new VirtualClock(), explain: true });
    expect((await find(call('/apis/example.com/v1/namespaces/a/echos/missing'), server.next)).status).toBe(404);
    expect(server.paths).toHaveLength(1);
  });

  it('explains a kind that is not served to callers that do not wait for it', async () => {
    const find = kindFinder({ discovery: serverWith({}).discovery, clock: new VirtualClock(), explain: true });
    const server = serverWith({});
    await expect(find(call('/apis/example.com/v1/echos'), server.next)).rejects.toMatchObject({
      code: 'KW3004',
      message: expect.stringMatching(/cannot get Echo \(example.com\/v1\).*install its CustomResourceDefinition/),
    });
    const other = serverWith({ v1beta1: 'echoes' });
    const typed = kindFinder({ discovery: other.discovery, clock: new VirtualClock(), explain: true });
    await expect(typed(call('/apis/example.com/v1/echos'), other.next)).rejects.toThrow(
      /use version v1beta1, or add this version/,
    );
    const patient = kindFinder({ discovery: server.discovery, clock: new VirtualClock(), explain: false });
    expect((await patient(call('/apis/example.com/v1/echos'), server.next)).status).toBe(404);
  });

  it('ignores built-in kinds and tolerates a server without discovery', async () => {
    const server = serverWith({});
    const find = kindFinder({ discovery: server.discovery, clock: new VirtualClock(), explain: true });
    const pods = { ...call('/api/v1/pods/x'), target: { group: '', version: 'v1', kind: 'Pod', resource: 'pods' } };
    expect((await find(pods, server.next)).status).toBe(404);
    expect(server.discovered()).toBe(0);
    server.hide();
    expect((await find(call('/apis/example.com/v1/echos'), server.next)).status).toBe(404);
  });

  it('shares one discovery result for a while, and for less time when it explains errors', async () => {
    for (const [explain, againMs] of [
      [false, 10_000],
      [true, 1_000],
    ] as const) {
      const server = serverWith({});
      const clock = new VirtualClock();
      const find = kindFinder({ discovery: server.discovery, clock, explain });
      const ask = (): Promise<unknown> => find(call('/apis/example.com/v1/echos'), server.next).catch(() => {});
      await ask();
      await ask();
      expect(server.read()).toBe(1);
      await clock.advance(againMs - 1);
      await ask();
      expect(server.read()).toBe(1);
      await clock.advance(1);
      await ask();
      expect(server.read()).toBe(2);
    }
  });

  it('queries discovery no more often while it fails', async () => {
    const server = serverWith({});
    server.hide();
    const find = kindFinder({ discovery: server.discovery, clock: new VirtualClock(), explain: true });
    for (let i = 0; i < 5; i++) await find(call('/apis/example.com/v1/echos'), server.next);
    expect(server.read()).toBe(1);
  });
});
