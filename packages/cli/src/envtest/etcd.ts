import { mkdirSync } from 'node:fs';
import { nodeHttp } from '@kubewright/client/internal';
import { CliError } from '../program/cli-error.ts';
import { parseFlags, wrong } from './parse-flags.ts';
import type { AssetProcess } from './run-asset.ts';

const { createServer } = nodeHttp();

const values = [
  'name',
  'data-dir',
  'wal-dir',
  'listen-peer-urls',
  'listen-client-urls',
  'listen-metrics-urls',
  'initial-advertise-peer-urls',
  'advertise-client-urls',
  'initial-cluster',
  'initial-cluster-state',
  'initial-cluster-token',
  'log-level',
  'logger',
  'log-outputs',
  'quota-backend-bytes',
  'max-request-bytes',
  'snapshot-count',
  'auto-compaction-mode',
  'auto-compaction-retention',
];
const switches = ['unsafe-no-fsync', 'version'];

/**
 * Stands in for etcd, but only responds to health checks, because the embedded API server stores its objects itself.
 * Runs until a signal stops the process.
 */
export async function runEtcd({ args, stdout, stopped }: AssetProcess): Promise<void> {
  const flags = parseFlags('etcd', { args, table: { values: new Set(values), switches: new Set(switches) } });
  if (flags.has('version')) return void stdout.write('etcd Version: 3.6.0+kubewright\n');
  const folder = flags.get('data-dir')?.at(-1);
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const urls = (flags.get('listen-client-urls')?.at(-1) ?? 'http://localhost:2379').split(',');
  const servers = await Promise.all(urls.map((url) => serve(url)));
  await stopped;
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

function serve(text: string): Promise<ReturnType<typeof createServer>> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:') {
    throw wrong('etcd', `--listen-client-urls ${text} is not an http URL`, 'pass a URL such as http://127.0.0.1:2379');
  }
  const bodies: Readonly<Record<string, string>> = {
    '/health': '{"health":"true","reason":""}',
    '/version': '{"etcdserver":"3.6.0+kubewright","etcdcluster":"3.6.0"}',
  };
  const server = createServer((request, response) => {
    const reply = bodies[request.url?.split('?')[0] ?? ''];
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      reply ??
        '{"error":"the embedded API server stores its objects itself, so this etcd only responds to health checks"}',
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const text = { what: `etcd cannot listen on ${url.host}`, why: cause.message, remedy: 'use a free port' };
      reject(new CliError('KW7011', text, { cause }));
    });
    server.listen(Number(url.port || 2379), url.hostname.replace(/^\[|\]$/g, ''), () => resolve(server));
  });
}

/** Returns the text of `--help`, which envtest searches for supported flags. */
export function etcdHelp(): string {
  return `A stand-in for etcd that only responds to health checks. The embedded API server stores its objects itself.

Usage:
  etcd [flags]

Flags:
${[...values, ...switches].map((name) => `  --${name}\n`).join('')}`;
}
