import { rmSync } from 'node:fs';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdServer, isEtcdMissing } from '../../packages/apiserver/src/testdata/etcd-server.ts';
import { buildReplica, type Replica, send, startReplica, wellsPath } from './replica-process.ts';

interface Seen {
  readonly name: string;
  readonly resourceVersion: number;
}

describe.skipIf(isEtcdMissing)('replicas of a server on one etcd', () => {
  // Below node_modules, so that the bundle can load the libraries of the etcd client.
  const folder = fileURLToPath(new URL(`../../node_modules/.kw-replicas-${process.pid}`, import.meta.url));
  const replicas: Replica[] = [];
  let program: string;
  let etcd: EtcdServer;

  beforeAll(async () => {
    program = await buildReplica(folder);
    etcd = await EtcdServer.start();
  }, 120_000);
  afterAll(async () => {
    for (const { child } of replicas) child.kill('SIGKILL');
    await etcd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Replica> {
    const replica = await startReplica(program, [etcd.url]);
    replicas.push(replica);
    return replica;
  }

  /** Creates wells one after the other until the replica exits or `isEnough` is true. Returns the acknowledged names. */
  async function write(replica: Replica, prefix: string, isEnough: () => boolean): Promise<readonly string[]> {
    const acknowledged: string[] = [];
    while (!isEnough()) {
      const name = `${prefix}-${acknowledged.length}`;
      const body = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name }, spec: { depth: 1 } };
      const status = await send(replica, { method: 'POST', body }).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 0) break;
      expect(status).toBe(201);
      acknowledged.push(name);
    }
    return acknowledged;
  }

  it('continue a watch where a killed replica left off, and lose no acknowledged write', async () => {
    const [first, second] = [await start(), await start()];
    const seen: Seen[] = [];
    const watching = watch(first, { after: await revisionOf(first), seen });
    let before = Number.POSITIVE_INFINITY;
    const writes = Promise.all([write(first, 'a', () => false), write(second, 'b', () => seen.length > before + 50)]);
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(100);
    first.child.kill('SIGKILL');
    await watching;
    before = seen.length;
    const last = seen.at(-1)?.resourceVersion ?? 0;
    const resumed = new AbortController();
    const continued = watch(second, { after: last, seen, signal: resumed.signal });
    const acknowledged = (await writes).flat();
    const names = () => new Set(seen.map(({ name }) => name));
    await expect.poll(() => acknowledged.filter((name) => !names().has(name)), { timeout: 60_000 }).toEqual([]);
    resumed.abort();
    await continued;
    expect(names().size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort((a, b) => a.resourceVersion - b.resourceVersion));
  }, 180_000);
});

/** Returns the resourceVersion of a list. */
async function revisionOf(replica: Replica): Promise<number> {
  const { text } = await send(replica, {});
  return Number(JSON.parse(text).metadata.resourceVersion);
}

/** Adds the created objects to `seen` until the server disconnects or `signal` is aborted. */
function watch(
  { url, authority }: Replica,
  { after, seen, signal }: { readonly after: number; readonly seen: Seen[]; readonly signal?: AbortSignal },
): Promise<void> {
  const query = `watch=true&resourceVersion=${after}`;
  return new Promise((resolve) => {
    const sent = request(
      new URL(`${wellsPath}?${query}`, url),
      { ca: authority, ...(signal && { signal }) },
      (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            const { type, object } = JSON.parse(line);
            expect(type).toBe('ADDED');
            seen.push({ name: object.metadata.name, resourceVersion: Number(object.metadata.resourceVersion) });
          }
        });
        response.on('error', () => resolve());
        response.on('close', () => resolve());
      },
    );
    sent.on('error', () => resolve());
    sent.end();
  });
}
