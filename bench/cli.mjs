// Measures the time of a new user's first steps with the packed packages (create, install, dev, save), and the size of
// the result.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { heading, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    packs: { type: 'string' },
    saves: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '5' },
    check: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kubewright-bench-cli-'));
const now = () => performance.now();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const quantile = (list, q) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.ceil(list.length * q) - 1)];

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CI: '1' },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} answered ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Packs all packages; returns the tarballs by package name. */
function pack() {
  const target = values.packs === undefined ? join(folder, 'packs') : resolve(values.packs);
  if (values.packs === undefined) {
    mkdirSync(target);
    run(process.execPath, ['scripts/build.mjs'], repository);
    for (const name of readdirSync(join(repository, 'packages')))
      run('npm', ['pack', '--pack-destination', target], join(repository, 'packages', name));
  }
  const files = readdirSync(target).filter((name) => name.endsWith('.tgz'));
  return new Map(
    files.map((name) => {
      const plain = name.replace(/-\d.*$/, '');
      return [plain.replace(/^kubewright-/, '@kubewright/'), `file:${join(target, name)}`];
    }),
  );
}

/** Replaces the versions in a project's package.json with tarballs, because no registry has these versions yet. */
function useTarballs(root, tarballs) {
  const path = join(root, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  for (const group of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(group)) group[name] = tarballs.get(name) ?? group[name];
  manifest.overrides = Object.fromEntries(
    [...tarballs].filter(([name]) => !(name in manifest.dependencies) && !(name in manifest.devDependencies)),
  );
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** A running `kubewright dev`; {@link Dev.seen} waits for output. */
class Dev {
  constructor(root, args = ['dev']) {
    this.text = '';
    this.child = spawn(process.execPath, [join(root, 'node_modules/kubewright/dist/main.js'), ...args], {
      cwd: root,
      env: { ...process.env, KUBECONFIG: '', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.waiting = new Set();
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        this.text += text;
        for (const look of this.waiting) look();
      });
    this.ended = new Promise((done) => this.child.once('close', done));
  }

  /** Resolves with the time at which a pattern matches the output after position `from`. */
  seen(pattern, { from = 0, withinMs = 60_000 } = {}) {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${pattern} did not appear in\n${this.text}`)), withinMs);
      const look = () => {
        if (!pattern.test(this.text.slice(from))) return;
        clearTimeout(timer);
        this.waiting.delete(look);
        done(now());
      };
      this.waiting.add(look);
      look();
    });
  }

  async stop() {
    this.child.kill('SIGINT');
    await this.ended;
  }
}

const ready = /controller shop started/;
const reconciled = /[▶✗] Shop default\/shop-sample/;

async function applySample(root) {
  const { clientFromConfig, loadClientConfig } = await import(
    pathToFileURL(join(root, 'node_modules/@kubewright/client/dist/index.js')).href
  );
  const client = clientFromConfig(await loadClientConfig({ kubeconfig: join(root, '.kubewright/kubeconfig') }));
  const kind = { group: 'shop.example.com', version: 'v1', kind: 'Shop', plural: 'shops', scope: 'Namespaced' };
  const object = {
    apiVersion: 'shop.example.com/v1',
    kind: 'Shop',
    metadata: { name: 'shop-sample', namespace: 'default' },
    spec: { message: 'hello' },
  };
  await client.resource(kind).apply(object, { fieldManager: 'bench' });
  await client[Symbol.asyncDispose]();
}

async function firstHour(tarballs) {
  const create = [...tarballs.values()].flatMap((file) => ['--package', file.replace('file:', '')]);
  const root = join(folder, 'shop');
  const from = now();
  run('npm', ['exec', '--yes', '--prefer-offline', ...create, '--', 'create-kubewright', 'shop', '--yes'], folder);
  const created = now();
  useTarballs(root, tarballs);
  const installing = now();
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], root);
  const installed = now();
  const dev = new Dev(root);
  try {
    const isReady = await dev.seen(ready);
    await applySample(root);
    const seen = await dev.seen(reconciled);
    return {
      root,
      create: created - from,
      install: installed - installing,
      dev: isReady - installed,
      all: seen - from,
    };
  } finally {
    await dev.stop();
  }
}

async function coldStarts(root) {
  const times = [];
  for (let i = 0; i < Number(values.rounds); i++) {
    const from = now();
    const dev = new Dev(root, ['dev', '--no-type-check']);
    times.push((await dev.seen(ready)) - from);
    await dev.stop();
  }
  return median(times);
}

async function saves(root) {
  const times = [];
  const dev = new Dev(root);
  await dev.seen(ready);
  await applySample(root);
  await dev.seen(reconciled);
  // The first check reads everything; later checks read only what has changed.
  await dev.seen(/type check passed/, { withinMs: 120_000 });
  for (let i = 0; i < Number(values.saves); i++) {
    // Lets the rest of the previous save's work (manifests, types) finish.
    await wait(1_500);
    const at = dev.text.length;
    const from = now();
    appendFileSync(join(root, 'src/controllers/shop.ts'), `// ${i}\n`);
    times.push((await dev.seen(reconciled, { from: at })) - from);
  }
  await dev.stop();
  return times;
}

function ownFiles(root) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (path) =>
        !/node_modules|\.kubewright|package-lock|[\\/]dist[\\/]|[\\/]schemas[\\/]|config[\\/](?!samples)/.test(path),
    )
    .filter((path) => !readFileSync(path, 'utf8').startsWith('# Generated'));
  const lines = files.map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
  return { files: files.length, lines: lines.reduce((sum, count) => sum + count, 0) };
}

/**
 * Returns the memory of the built operator in MiB, after ten idle seconds with one object. The operator runs under its
 * own account.
 */
async function idle(root) {
  const dev = new Dev(root, ['dev', '--no-type-check']);
  await dev.seen(ready);
  const account = join(root, '.kubewright/shop-system.shop-controller-manager.kubeconfig');
  const flags = ['--health-probe-bind-address=0', '--metrics-bind-address=0'];
  const operator = spawn(process.execPath, [join(root, 'dist/main.mjs'), ...flags], {
    env: { ...process.env, KUBECONFIG: account },
    stdio: 'ignore',
  });
  await wait(10_000);
  const status = readFileSync(`/proc/${operator.pid}/status`, 'utf8');
  operator.kill('SIGTERM');
  await dev.stop();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

const tarballs = pack();
// A first run fills npm's cache, so that the measured run downloads nothing.
await firstHour(tarballs);
rmSync(join(folder, 'shop'), { recursive: true, force: true });
const first = await firstHour(tarballs);
const { root } = first;
const { files, lines } = ownFiles(root);
const cold = await coldStarts(root);
const times = await saves(root);
run(process.execPath, ['node_modules/kubewright/dist/main.js', 'build'], root);
const bundle = statSync(join(root, 'dist/main.mjs')).size / 1024;
const memory = existsSync('/proc/self/status') ? await idle(root) : undefined;

const rows = [
  { figure: 'create', unit: 's', digits: 1, ours: first.create / 1000 },
  { figure: 'npm install', unit: 's', digits: 1, ours: first.install / 1000 },
  { figure: 'first dev, to ready', unit: 's', digits: 1, ours: first.dev / 1000 },
  { figure: 'create → first reconcile', unit: 's', digits: 1, ours: first.all / 1000, limit: 30 },
  { figure: 'dev, to ready (median)', unit: 's', digits: 2, ours: cold / 1000, limit: 1.5 },
  { figure: 'save → reconcile, median', unit: 'ms', digits: 0, ours: median(times) },
  { figure: 'save → reconcile, p95', unit: 'ms', digits: 0, ours: quantile(times, 0.95), limit: 400 },
  { figure: 'files of a project', unit: '', digits: 0, ours: files, limit: 15 },
  { figure: 'lines of a project', unit: '', digits: 0, ours: lines, limit: 400 },
  { figure: "operator's bundle", unit: 'kB', digits: 0, ours: bundle },
  { figure: "operator's idle memory", unit: 'MB', digits: 0, ours: memory },
].map(({ limit, ...row }) => ({ ...row, ...(limit !== undefined && { goal: `≤ ${limit}`, met: row.ours <= limit }) }));
heading(`packed packages, warm npm cache, ${values.saves} saves`);
printTable(rows, { compared: true });
if (values.keep) process.stdout.write(`\n${folder}\n`);
else rmSync(folder, { recursive: true, force: true });
if (values.check && rows.some(({ met }) => met === false)) process.exitCode = 1;
