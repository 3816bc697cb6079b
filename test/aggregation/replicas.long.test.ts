import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdServer, isEtcdMissing } from '../../packages/apiserver/src/testdata/etcd-server.ts';

const path = '/apis/wells.example.com/v1/namespaces/default/wells';

interface Replica {
  readonly url: string;
  readonly authority: string;
  readonly child: ChildProcess;
}

interface Seen {
  readonly name: string;
  readonly resourceVersion: number;
}

describe.skipIf(isEtcdMissing)('replicas of a server on one etcd', () => {
  // Below node_modules, where the bundle finds the libraries of etcd's client.
  const folder = fileURLToPath(new URL(`../../node_modules/.kw-replicas-${process.pid}`, import.meta.url));
  const program = join(folder, 'replica.mjs');
  const replicas: Replica[] = [];
  let etcd: EtcdServer;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    const entry = fileURLToPath(new URL('testdata/replica.ts', import.meta.url));
    const conditions = ['kubewright-source'];
    const external = ['@grpc/*', 'classic-level', 'kubernetes-types'];
    const options = { platform: 'node', format: 'esm', target: 'node20.19' } as const;
    await build({ entryPoints: [entry], outfile: program, bundle: true, conditions, external, ...options });
    etcd = await EtcdServer.start();
  }, 120_000);
  afterAll(async () => {
    for (const { child } of replicas) child.kill('SIGKILL');
    await etcd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Replica> {
    const child = spawn(process.execPath, [program, etcd.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the replica ended with ${code}`)));
    const [line] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended])) as [string];
    ended.catch(() => undefined); // it is killed later
    const replica = { ...(JSON.parse(line) as Omit<Replica, 'child'>), child };
    replicas.push(replica);
    return replica;
  }

  /** Creates wells one after the other until the replica is gone or `isEnough`; an interrupted request is not counted. */
  async function write(replica: Replica, prefix: string, isEnough: () => boolean): Promise<readonly string[]> {
    const acknowledged: string[] = [];
    while (!isEnough()) {
      const name = `${prefix}-${acknowledged.length}`;
      const body = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name }, spec: { depth: 1 } };
      const status = await post(replica, body).catch(() => 0);
      if (status === 0) break;
      expect(status).toBe(201);
      acknowledged.push(name);
    }
    return acknowledged;
  }

  it('continue a watch where a killed replica has left it, and lose no acknowledged write', async () => {
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

function post({ url, authority }: Replica, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(new URL(path, url), { method: 'POST', ca: authority, headers }, (response) => {
      response.on('error', reject);
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** Returns the resourceVersion of an empty list. */
function revisionOf({ url, authority }: Replica): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { ca: authority }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(Number(JSON.parse(text).metadata.resourceVersion)));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Adds the created objects to `seen` until the server disconnects or `signal` is aborted. */
function watch(
  { url, authority }: Replica,
  { after, seen, signal }: { readonly after: number; readonly seen: Seen[]; readonly signal?: AbortSignal },
): Promise<void> {
  const query = `watch=true&resourceVersion=${after}`;
  return new Promise((resolve) => {
    const sent = request(new URL(`${path}?${query}`, url), { ca: authority, ...(signal && { signal }) }, (response) => {
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
    });
    sent.on('error', () => resolve());
    sent.end();
  });
}
