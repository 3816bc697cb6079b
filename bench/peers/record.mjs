// Records how controller-runtime behaves where Kubewright must match it: competing for a lease, metrics, log lines, and
// objects. Uses a real API server; test/runtime/go-interop.test.ts replays the recording.
// KUBECONFIG=… node bench/peers/record.mjs needs Go, and the repository's development packages
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const namespace = `interop-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'kw-interop-'));
const client = clientFromConfig(await loadClientConfig());
const call = (method, path, body) => client.request({ method, path, body });
const notesPath = `/apis/runtime.example.com/v1/namespaces/${namespace}/notes`;
const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/notes`;

/** All started processes; their output is printed if something fails. */
const all = [];

async function until(what, condition) {
  const end = performance.now() + 30_000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end)
      throw new Error(`timed out after 30 s: ${what}\n${all.flatMap(({ logs }) => logs.slice(-12)).join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Starts a process and collects its output and logs. */
function start(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: process.env });
  const said = [];
  const logs = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => logs.push(line));
  const exit = new Promise((resolve) => child.once('exit', resolve));
  all.push({ logs });
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    said,
    logs,
    leads: () => until(`${args.at(-1)} leads`, () => said.includes('leads')),
    end: async (signal) => {
      child.kill(signal);
      await exit;
    },
  };
}

const leaseOf = async () => (await call('GET', leasePath).catch(() => undefined)) ?? {};
/**
 * Waits until the holder has renewed the lease a few times, and throws if `follower` has become leader in the meantime.
 */
async function renewed(follower) {
  const { spec } = await leaseOf();
  const times = new Set();
  await until('renewals', async () => times.add((await leaseOf()).spec.renewTime).size > 5);
  if (follower.said.includes('leads')) throw new Error('two lead');
  return { before: spec, after: (await leaseOf()).spec };
}

execFileSync('go', ['mod', 'tidy'], { cwd: here('go'), stdio: 'inherit' });
execFileSync('go', ['build', '-o', 'bin/interop', './interop'], { cwd: here('go'), stdio: 'inherit' });
const programs = here('../../test/runtime/programs');
await build({
  entryPoints: [`${programs}/interop-operator.ts`, `${programs}/note.ts`],
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['kubewright-source'],
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'error',
});
const go = (identity) => start(here('go/bin/interop'), [namespace, identity]);
const ours = (identity) => start(process.execPath, [join(folder, 'interop-operator.mjs'), namespace, identity]);
const { noteDefinition } = await import(join(folder, 'note.mjs'));
await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', noteDefinition).catch(() => {});
await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
await until('the kind is served', () => call('GET', notesPath).catch(() => undefined));
for (const name of ['a', 'fails']) {
  const metadata = { name };
  await call('POST', notesPath, {
    apiVersion: 'runtime.example.com/v1',
    kind: 'Note',
    metadata,
    spec: { text: 'hello' },
  });
}

const lease = [];
const first = go('go-1');
await first.leads();
await until('the work is done', async () => (await call('GET', `${notesPath}/a`)).status?.text === 'hello');
await until('a failure is logged', () => first.logs.some((line) => line.includes('Reconciler error')));
const objects = {
  note: await call('GET', `${notesPath}/a`),
  copy: await call('GET', `/api/v1/namespaces/${namespace}/configmaps/a`),
};
const port = first.said.find((line) => line.startsWith('metrics ')).split(' ')[1];
const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
const second = ours('kubewright-1');
lease.push({ what: 'Go leads; ours waits', ...(await renewed(second)) });
await first.end('SIGTERM');
await second.leads();
lease.push({ what: 'Go gave it back; ours leads', after: (await leaseOf()).spec });
const third = go('go-2');
lease.push({ what: 'ours leads; Go waits', ...(await renewed(third)) });
await second.end('SIGTERM');
await third.leads();
lease.push({ what: 'ours gave it back; Go leads', after: (await leaseOf()).spec });
const fourth = ours('kubewright-2');
await renewed(fourth);
const killedMs = performance.now();
await third.end('SIGKILL');
const left = (await leaseOf()).spec;
await fourth.leads();
const waitedMs = Math.round(performance.now() - killedMs);
lease.push({ what: 'Go was killed; ours leads', before: left, after: (await leaseOf()).spec, waitedMs });
await fourth.end('SIGTERM');
lease.push({ what: 'ours gave it back', after: (await leaseOf()).spec });
await call('DELETE', `/api/v1/namespaces/${namespace}`);

const { gitVersion } = await call('GET', '/version');
const families = /^(# (HELP|TYPE) )?(controller_runtime|workqueue|rest_client|leader_election|certwatcher)_/;
const recorded = {
  kubernetes: gitVersion,
  lease,
  objects,
  metrics: metrics.split('\n').filter((line) => families.test(line)),
  logs: [
    ...new Map(first.logs.filter((line) => line.startsWith('{')).map((line) => [JSON.parse(line).msg, line])).values(),
  ]
    .map((line) => JSON.parse(line))
    .map((line) => (line.stacktrace ? { ...line, stacktrace: '…' } : line)),
};
const file = here('../../test/runtime/testdata/go-interop.json');
writeFileSync(
  file,
  `${JSON.stringify(recorded, null, 1)
    .replaceAll(namespace, 'interop')
    .replaceAll(`127.0.0.1:${new URL((await loadClientConfig()).server).port}`, 'SERVER')}\n`,
);
await client[Symbol.asyncDispose]();
rmSync(folder, { recursive: true, force: true });
