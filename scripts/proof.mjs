// `npm run proof`: runs everything that takes a long time or needs the real control plane. Prints progress and writes
// docs/proof.md. The groups:
//   recordings  resends all recorded requests to a real kube-apiserver, and replays the new responses against our code
//   models      model tests with ten times as many runs as in CI
//   real        suites that need no embedded cluster, against a real control plane
//   postgres    failures of real PostgreSQL servers; they need a quiet machine
//   servers     replicas of an API server on an etcd of three members, killed under load
//   newcomers   a user's first hour with the packed packages, on several Node.js versions, as root and as another user;
//               needs root, Linux and a registry
//   conformance Kubernetes' conformance tests on nodes that run images; needs Linux, Go, kubectl and a few programs
//   benchmarks  the benchmarks with goals, compared with the real control plane; they need a quiet machine
//   soaks       memory use of operators that run for a long time
// `--skip models,benchmarks` skips these groups, `--only real` skips all others; the report lists skipped groups.
// `--out FILE` sets the output file. Needs Node 24, and a folder with etcd, kube-apiserver, kube-controller-manager and
// kube-scheduler 1.36.3: BIN, or kubewright-oracle/bin in the user's cache. A complete run takes several hours.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, homedir, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkOut } from './proof/checkout.mjs';
import { controlPlaneVersions, missingPrograms, programsFolder, startControlPlane } from './proof/control-plane.mjs';
import { neutral, reportOf } from './proof/report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = programsFolder(process.env);

/**
 * Folders with recorders whose only input is a fresh server (`plain`: without admission), and with the tests that
 * replay the recordings.
 */
const recorders = [
  { folder: 'packages/schema/src/structural' },
  { folder: 'packages/apiserver/src/strategic-merge', plain: true },
  { folder: 'packages/apiserver/src/apply', plain: true },
  { folder: 'packages/schema/src/decode' },
  { folder: 'packages/schema/src/cel' },
  { folder: 'packages/controlplane/src/kube-apiserver/registry', stdout: 'answers-1.36.3.json' },
  { folder: 'packages/controlplane/src/kinds', args: ['invalid'], plain: true },
  { folder: 'packages/controlplane/src/kinds', args: ['warnings'], plain: true },
  { folder: 'packages/controlplane/src/scheduler', args: ['1', '14'], plain: true, stdout: 'choices-1.36.3.json' },
];
const noAdmission =
  '--disable-admission-plugins=ServiceAccount,Priority,DefaultTolerationSeconds,TaintNodesByCondition,RuntimeClass';
const webhooks = ['admission', 'conversion', 'rotation', 'metrics'].map((name) => `test/webhooks/${name}.`);
const environments = ['test-environment', 'fake-infrastructure'].map((name) => `test/environment/${name}.real.`);
const source = '--conditions=kubewright-source';
const days = [source, 'test/soak/days.mjs', '--json'];
const flaw = ['--days', '8', '--flaw', 'remembers every version'];

/** The steps by group. Each step returns `{ ok, text }`. */
const groups = {
  recordings: [
    ...recorders.map((each) => ({ name: `new recording: ${each.folder}`, prove: (tree) => record(tree, each) })),
    {
      name: 'replay of the recorded responses',
      prove: (tree) =>
        suites(
          tree,
          recorders.map(({ folder }) => folder),
        ),
    },
  ],
  models: [
    {
      name: 'model tests, ten times the runs',
      prove: (tree) => suites(tree, ['.model.test.ts'], { KUBEWRIGHT_MODEL_SCALE: '10' }),
    },
  ],
  real: [
    { name: 'webhooks on a real cluster', prove: (tree) => onRealCluster(tree, webhooks) },
    // These tests inject faults with proxies and stub servers, so none of them is skipped on a real cluster.
    { name: 'the runtime on a real cluster', prove: (tree) => onRealCluster(tree, ['test/runtime']) },
    {
      name: 'the output of kubewright build on a real cluster',
      prove: (tree) => onRealCluster(tree, ['test/cli/shipped.real.test.ts']),
    },
    {
      name: 'kubewright trace and reviews on a real cluster',
      prove: (tree) => onRealCluster(tree, ['test/cli/trace.real.test.ts', 'test/client/reviews.test.ts']),
    },
    {
      name: 'test environments of all three kinds, two of them real',
      prove: (tree) => onRealCluster(tree, environments),
    },
    {
      name: 'an extension API server behind a real kube-apiserver',
      // The test starts its own kube-apiserver with aggregator flags.
      prove: (tree) =>
        suites(tree, ['test/aggregation/extension-server.real.test.ts'], { USE_EXISTING_CLUSTER: 'true' }),
    },
    {
      name: 'the PostgreSQL operator on a real cluster, with nodes of this project',
      prove: (tree) => onRealCluster(tree, ['test/postgres']),
    },
    {
      name: 'kube-apiserver on the etcd of an embedded cluster',
      prove: (tree) => onRealCluster(tree, ['test/storage']),
    },
  ],
  postgres: [
    {
      name: 'failures of PostgreSQL servers',
      prove: (tree) =>
        suites(tree, ['examples/postgres-cluster'], { KUBEWRIGHT_PROOF: '1', POSTGRES_17_BIN: postgres17() }),
    },
  ],
  servers: [
    {
      name: 'an API server whose replicas and etcd members are killed',
      prove: (tree) => suites(tree, ['test/aggregation/failing-members.proof.test.ts'], { KUBEWRIGHT_PROOF: '1' }),
    },
  ],
  newcomers: [
    { name: "a newcomer's first hour on Node 20, 24 and 26", prove: (tree) => firstHour(tree, [20, 24, 26]) },
    { name: 'the first hour as root', prove: (tree) => firstHour(tree, [20], '--as-root') },
  ],
  conformance: [
    { name: "Kubernetes' conformance tests", prove: (tree) => benchmark(tree, ['test/conformance/run.mjs']) },
  ],
  benchmarks: [
    {
      name: 'benchmark: cluster',
      prove: (tree) =>
        benchmark(tree, ['bench/cluster.mjs', '--check', '--rounds', '3', '--seconds', '3', '--oracle', bin]),
    },
    {
      name: 'benchmark: informer',
      prove: (tree) => benchmark(tree, ['--expose-gc', source, 'bench/informer.mjs', '--check']),
    },
  ],
  soaks: [
    { name: 'soak: 30 virtual days with faults', prove: (tree) => soak(tree, days, ({ ok }) => ok) },
    {
      name: 'soak: detects an operator that leaks memory',
      // Checks the soak itself: a soak that cannot detect a leak proves nothing.
      prove: (tree) =>
        soak(tree, [...days, ...flaw], ({ ok, wrong, growth }) => !ok && wrong.length === 0 && growth > 0.01),
    },
    {
      name: 'soak: 20 minutes at 1,000 events/s',
      prove: (tree) => soak(tree, [source, 'bench/soak.mjs', '--json'], ({ ok }) => ok),
    },
  ],
};

const { values: flags } = parseArgs({
  options: {
    skip: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string', default: join(root, 'docs/proof.md') },
  },
});
const obstacle = obstacleToProofs();
if (obstacle) {
  process.stderr.write(`${obstacle}\n`);
  process.exitCode = 2;
} else {
  await prove();
}

/** Returns why the proofs cannot run, with the fix. */
function obstacleToProofs() {
  const named = [...list(flags.skip), ...list(flags.only)].filter((name) => !(name in groups));
  if (named.length > 0)
    return `unknown proof group: ${named.join(', ')}\n  fix: use one of ${Object.keys(groups).join(', ')}`;
  if (Number(process.versions.node.split('.')[0]) < 24)
    return `the proofs do not run on Node.js ${process.version}\n  why: the benchmarks run TypeScript sources and have targets for Node.js 24\n  fix: use Node.js 24`;
  const missing = missingPrograms(bin);
  if (missing.length > 0)
    return `${missing.join(', ')} not found in ${bin}\n  why: the proofs compare with the real control plane\n  fix: install the Kubernetes 1.36.3 binaries there, or set BIN to their folder`;
  return undefined;
}

async function prove() {
  using checkout = checkOut(root);
  const results = [];
  for (const [group, steps] of Object.entries(groups)) {
    const isWanted = flags.only === undefined ? !list(flags.skip).includes(group) : list(flags.only).includes(group);
    for (const step of steps)
      results.push(isWanted ? await attempt(step, checkout.folder) : { name: step.name, isSkipped: true });
  }
  const date = new Date().toISOString().slice(0, 10);
  const { commit } = checkout;
  const report = reportOf({ date, commit, versions: versions(), results });
  writeFileSync(flags.out, report);
  process.stdout.write(`\n${report}`);
  if (results.some(({ ok, isSkipped }) => !ok && !isSkipped)) process.exitCode = 1;
}

/** Runs a step. A failure is also a result. */
async function attempt({ name, prove: run }, tree) {
  const started = performance.now();
  process.stdout.write(`${name} … `);
  const { ok, text } = await run(tree).catch((error) => ({ ok: false, text: String(error?.stack ?? error) }));
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`${ok ? 'passed' : 'FAILED'} (${seconds.toFixed(0)} s)\n`);
  const folders = { [tree]: '.', [root.replace(/\/$/, '')]: '.', [bin]: 'BIN', [homedir()]: '~', [tmpdir()]: 'TMP' };
  return { name, ok, seconds, text: neutral(text, folders) };
}

async function record(tree, { folder, args = [], stdout: file, plain }) {
  await using server = await startControlPlane(bin, { flags: plain ? [noAdmission] : [] });
  const script = join(tree, folder, 'testdata/record.mjs');
  const { ok, stdout, said } = run(tree, [script, server.url, server.token, ...args]);
  if (ok && file) writeFileSync(join(tree, folder, 'testdata', file), stdout);
  return { ok, text: ok ? '' : said };
}

/**
 * Runs test suites of the committed state. Returns the number of tests and the printed measurements, or vitest's output
 * if a test failed.
 */
async function suites(tree, patterns, env = {}) {
  const vitest = join(tree, 'node_modules/vitest/vitest.mjs');
  const { ok, stdout, said } = run(tree, [vitest, 'run', '--reporter=verbose', ...patterns], {
    env: { KUBEWRIGHT_REQUIRE_ALL: '1', ...env },
  });
  const measured = [...stdout.matchAll(/↳ (.*)/g)].map(([, note]) => note);
  return { ok, text: ok ? [/Tests\s+(.*)/.exec(stdout)?.[1] ?? '', ...measured].join('; ') : said };
}

/** Runs suites against the real API server. */
async function onRealCluster(tree, patterns) {
  await using server = await startControlPlane(bin, { controllers: true });
  const env = { USE_EXISTING_CLUSTER: 'true', KUBECONFIG: server.kubeconfig };
  return await suites(tree, ['--no-file-parallelism', ...patterns], env);
}

async function firstHour(tree, majors, ...args) {
  const nodes = majors.map((major) => nodeRelease(tree, major));
  const { ok, stdout, said } = run(tree, ['scripts/first-hour.sh', ...args, ...nodes], { program: 'bash' });
  return { ok, text: ok ? stdout.match(/^Node .*$/gm)?.join('; ') : said };
}

/** Installs a Node.js release from the npm registry. */
function nodeRelease(tree, major) {
  const folder = join(tree, `.nodes/${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  const args = ['install', '--silent', '--no-save', '--prefix', folder, `${name}@${major}`];
  const { ok, said } = run(tree, args, { program: 'npm' });
  if (!ok) throw new Error(`cannot install Node.js ${major}: ${said}`);
  return join(folder, 'node_modules', name, 'bin/node');
}

async function benchmark(tree, args) {
  const { ok, stdout, said } = run(tree, args);
  return { ok, text: ok ? stdout : said };
}

/** Returns a short soak result, with problems only if there are any. */
async function soak(tree, args, isRight) {
  const { stdout, said } = run(tree, args);
  if (!stdout.startsWith('{')) return { ok: false, text: said };
  const result = JSON.parse(stdout);
  const { ok: _ok, wrong = [], ...figures } = result;
  const short = (value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
  const all = Object.entries(figures).map(([name, value]) => `${name} ${short(value)}`);
  return { ok: isRight(result), text: [...all, ...wrong.slice(0, 5)].join('; ') };
}

function versions() {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/runtime/package.json'), 'utf8'));
  const [cpu] = cpus();
  return [
    `Kubewright ${version}, Node ${process.version}`,
    controlPlaneVersions(bin),
    `${process.platform} ${process.arch}, ${cpus().length} cores (${cpu?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
  ];
}

/** Runs a program, by default Node. `said` is the end of the program's output, with stderr first. */
function run(tree, args, { env = {}, program = process.execPath } = {}) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', NODE_NO_WARNINGS: '1', ...env },
  });
  const end = error ? String(error) : signal ? `killed by ${signal}` : '';
  const said = [stderr?.slice(-8000), stdout?.slice(-4000), end].filter(Boolean).join('\n');
  return { ok: status === 0, stdout: stdout ?? '', said };
}

function list(names = '') {
  return names.split(',').filter(Boolean);
}

/** Returns the folder of PostgreSQL 17, for tests of major upgrades; '' if PostgreSQL 17 cannot be installed. */
function postgres17() {
  const script = join(root, 'scripts', 'fixtures', 'postgres-17.mjs');
  return spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).stdout.trim();
}
