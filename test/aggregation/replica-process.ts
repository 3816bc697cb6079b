import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const wellsPath = '/apis/wells.example.com/v1/namespaces/default/wells';

/** A replica of the server in `testdata/replica.ts`, in its own process. */
export interface Replica {
  readonly url: string;
  readonly authority: string;
  readonly child: ChildProcess;
}

/** Bundles the server into a folder below node_modules, so that the bundle can load the libraries of the etcd client. */
export async function buildReplica(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'replica.mjs');
  const entry = fileURLToPath(new URL('testdata/replica.ts', import.meta.url));
  const conditions = ['kubewright-source'];
  const external = ['@grpc/*', 'classic-level', 'kubernetes-types'];
  const options = { platform: 'node', format: 'esm', target: 'node20.19' } as const;
  await build({ entryPoints: [entry], outfile, bundle: true, conditions, external, ...options });
  return outfile;
}

/** Starts a replica that connects to all members of an etcd cluster. */
export async function startReplica(program: string, etcdServers: readonly string[]): Promise<Replica> {
  const child = spawn(process.execPath, [program, ...etcdServers], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the replica ended with ${code}`)));
  const [line] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended])) as [string];
  ended.catch(() => undefined); // it is killed later
  return { ...(JSON.parse(line) as Omit<Replica, 'child'>), child };
}

/** A response of a replica. */
export interface Response {
  readonly status: number;
  readonly text: string;
}

/** Sends a request for wells to a replica. */
export function send(
  { url, authority }: Replica,
  { method = 'GET', query = '', body }: { readonly method?: string; readonly query?: string; readonly body?: object },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(new URL(wellsPath + query, url), { method, ca: authority, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.setTimeout(20_000, () => sent.destroy(new Error('no response within 20 s')));
    sent.end(body && JSON.stringify(body));
  });
}
