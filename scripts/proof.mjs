// `npm run proof`: what takes long or needs the real control plane. Writes docs/proof.md.
//   1. Puts all recorders' questions to a real kube-apiserver again and replays today's answers against our code.
//   2. Runs the suites that need no embedded cluster against a real control plane.
//   3. Runs the benchmarks beside the real control plane, with their goals.
//   4. Lets operators run for long, and looks at what they hold.
// `--skip models,benchmarks,soaks` leaves out what takes most of an hour or wants a quiet machine; the file says so.
// Needs the programs that ../shared/oracle/build.sh builds (BIN, default the user's cache); says so and stops without them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, homedir, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({ options: { skip: { type: 'string', default: '' } } });
const skipped = new Set(flags.skip.split(','));
const root = fileURLToPath(new URL('..', import.meta.url));
const oracle = join(root, '../shared/oracle');
const bin = process.env.BIN ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kubewright-oracle/bin');
const port = 28_640;
const url = `https://127.0.0.1:${port}`;

/** Recorders whose only input is a fresh server (`plain`: without admission), and the tests that replay what they wrote. */
const recorders = [
  { folder: 'packages/schema/src/structural' },
  { folder: 'packages/schema/src/strategic-merge', plain: true },
  { folder: 'packages/schema/src/apply', plain: true },
  { folder: 'packages/schema/src/decode' },
  { folder: 'packages/schema/src/cel' },
  { folder: 'packages/controlplane/src/apiserver/registry', stdout: 'answers-1.36.3.json' },
  { folder: 'packages/controlplane/src/apiserver/builtin', args: ['invalid'], plain: true },
];
const benchmarks = [
  { name: 'cluster', args: ['bench/cluster.mjs', '--check', '--rounds', '2', '--seconds', '3', '--oracle', bin] },
  { name: 'informer', args: ['--expose-gc', '--conditions=kubewright-source', 'bench/informer.mjs', '--check'] },
];
const onReal = [
  {
    name: 'webhooks on a real cluster',
    suites: ['admission', 'conversion', 'rotation', 'metrics'].map((name) => `test/webhooks/${name}.test.ts`),
  },
  // Its faults are made by proxies and stub servers, where there are any: nothing of it is skipped on a real cluster.
  { name: 'the runtime on a real cluster', suites: ['test/runtime'] },
  { name: 'what kubewright build writes, on a real cluster', suites: ['test/cli/shipped.real.test.ts'] },
];
const source = '--conditions=kubewright-source';
const days = [source, 'test/soak/days.mjs', '--json'];
const soaks = [
  { name: '30 virtual days with faults', args: days },
  // What does not see a flaw proves nothing.
  {
    name: 'the same sees an operator that remembers too much',
    args: [...days, '--days', '8', '--flaw', 'remembers every version'],
    fails: true,
  },
  { name: '20 minutes at 1,000 events/s', args: [source, 'bench/soak.mjs', '--json'] },
];
const noAdmission =
  '--disable-admission-plugins=ServiceAccount,Priority,DefaultTolerationSeconds,TaintNodesByCondition,RuntimeClass';

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.log(
    `proofs cannot run on this Node (${process.version})\n  why: benchmarks read sources and have goals for 24\n  do: run it on Node 24`,
  );
  process.exitCode = 1;
} else if (!existsSync(join(bin, 'kube-apiserver'))) {
  console.log(
    `no control plane in ${bin}\n  why: proofs compare with the real one\n  do: run ${join(oracle, 'build.sh')}, or set BIN`,
  );
  process.exitCode = 1;
} else {
  await prove();
}

async function prove() {
  const results = [];
  const tree = mkdtempSync(join(tmpdir(), 'kw-proof-'));
  git('worktree', 'add', '--detach', '--force', tree, 'HEAD');
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  try {
    for (const recorder of recorders) results.push(await record(tree, recorder));
    results.push(replay(tree));
    if (skipped.has('models')) results.push({ name: 'model tests, ten times the runs', isSkipped: true });
    else results.push(modelsWithPatience(tree));
    for (const each of onReal) results.push(await onRealCluster(tree, each));
  } finally {
    git('worktree', 'remove', '--force', tree);
  }
  for (const { name, args } of benchmarks) {
    if (skipped.has('benchmarks')) {
      results.push({ name: `benchmark: ${name}`, isSkipped: true });
      continue;
    }
    const { status, stdout, stderr } = run(process.execPath, args, root);
    results.push({
      name: `benchmark: ${name}`,
      ok: status === 0,
      text: `\n\`\`\`\n${stdout.trim() || stderr.trim()}\n\`\`\``,
    });
  }
  for (const { name, args, fails = false } of soaks) {
    if (skipped.has('soaks')) {
      results.push({ name: `soak: ${name}`, isSkipped: true });
      continue;
    }
    const { status, stdout, stderr } = run(process.execPath, args, root);
    const text = stdout.trim().startsWith('{') ? figures(JSON.parse(stdout)) : stderr.slice(-2000);
    results.push({ name: `soak: ${name}`, ok: (status !== 0) === fails && stdout !== '', text });
  }
  report(results);
}

/** A soak's result, short: what is wrong only where there is something. */
function figures({ ok: _ok, wrong = [], ...result }) {
  const short = (value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
  const all = Object.entries(result).map(([name, value]) => `${name} ${short(value)}`);
  return `(${[...all, ...wrong.slice(0, 5)].join('; ')})`;
}

async function record(tree, { folder, args = [], stdout: file, plain }) {
  const { stop } = await startOracle(plain ? noAdmission : '');
  const name = `recorded anew: ${folder}`;
  try {
    const script = join(tree, folder, 'testdata/record.mjs');
    const { status, stdout, stderr } = run(process.execPath, [script, url, 'admintoken', ...args], tree);
    if (status === 0 && file) writeFileSync(join(tree, folder, 'testdata', file), stdout);
    return { name, ok: status === 0, text: status === 0 ? '' : stderr.slice(-2000) };
  } finally {
    await stop();
  }
}

function replay(tree) {
  const folders = recorders.map(({ folder }) => folder);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stdout } = run(process.execPath, [vitest, 'run', ...folders], tree);
  const counts = /Tests\s+(.*)/.exec(stdout)?.[1] ?? '';
  return { name: "today's answers replayed", ok: status === 0, text: status === 0 ? counts : stdout.slice(-4000) };
}

/** Ten times the runs that CI has time for. */
function modelsWithPatience(tree) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stdout } = run(process.execPath, [vitest, 'run', '.model.test.ts'], tree, {
    KUBEWRIGHT_MODEL_SCALE: '10',
  });
  const counts = /Tests\s+(.*)/.exec(stdout)?.[1] ?? '';
  return {
    name: 'model tests, ten times the runs',
    ok: status === 0,
    text: status === 0 ? counts : stdout.slice(-4000),
  };
}

/** What operators do is asked of the real API server, too. */
async function onRealCluster(tree, { name, suites }) {
  const oracle = await startOracle('', 'all');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const real = { USE_EXISTING_CLUSTER: 'true', KUBECONFIG: join(oracle.folder, 'kubeconfig') };
  try {
    const args = [vitest, 'run', '--no-file-parallelism', ...suites];
    const { status, stdout, stderr } = run(process.execPath, args, tree, real);
    const counts = /Tests\s+(.*)/.exec(stdout)?.[1] ?? '';
    return { name, ok: status === 0, text: status === 0 ? counts : `${stderr.slice(-4000)}\n${stdout.slice(-4000)}` };
  } finally {
    await oracle.stop();
  }
}

async function startOracle(flags, parts = 'api') {
  const folder = mkdtempSync(join(tmpdir(), 'kw-oracle-'));
  const child = spawn('bash', [join(oracle, 'up.sh'), folder, String(port)], {
    env: { ...process.env, BIN: bin, WITH: parts, APISERVER_ARGS: flags },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('ready after') && resolve());
    child.once('exit', (code) => reject(new Error(`the control plane ended with ${code}; see ${folder}`)));
  });
  const stop = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, stop };
}

function report(results) {
  const commit = git('rev-parse', '--short=12', 'HEAD').trim();
  const machine = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const rows = results.map(
    ({ name, ok, text, isSkipped }) =>
      `- ${isSkipped ? 'not run this time' : ok ? 'passed' : '**failed**'}: ${name}${text ? ` ${text}` : ''}`,
  );
  const text = `# Proof\n\nWritten by \`npm run proof\` on ${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${machine}.\n\n${rows.join('\n')}\n`;
  writeFileSync(join(root, 'docs/proof.md'), text);
  console.log(text);
  if (results.some(({ ok, isSkipped }) => !ok && !isSkipped)) process.exitCode = 1;
}

function run(command, args, cwd, env = {}) {
  return spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    env: { ...process.env, NO_COLOR: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1', ...env },
  });
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
