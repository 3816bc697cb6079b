// Runs Kubernetes' conformance tests, unmodified, against an embedded cluster of two nodes that run container images:
// node test/conformance/run.mjs [--focus REGEXP] [--skip REGEXP] [--minutes N]. Needs Linux, Go, kubectl and the programs
// in images.mjs. Fails if a test fails that `known-failures.json` does not list, or if a listed test passes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.mjs';
import { assembleImages, find, neededPrograms } from './images.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: flags } = parseArgs({
  options: {
    focus: { type: 'string', default: '' },
    // Serial tests change all nodes; slow ones take minutes each.
    skip: { type: 'string', default: '\\[Serial\\]|\\[Slow\\]' },
    minutes: { type: 'string', default: '90' },
  },
});
const known = JSON.parse(readFileSync(new URL('known-failures.json', import.meta.url), 'utf8'));

const missing = [...neededPrograms, 'kubectl', 'go'].filter((program) => find(program) === undefined);
if (missing.length > 0) fail(`these programs are missing: ${missing.join(', ')}`);
if ((await build((step) => process.stderr.write(`${step}\n`))) !== 0) fail('the packages cannot be built');
const programs = outputOf(process.execPath, [join(root, 'scripts/fixtures/conformance.mjs')]).trim();
const folder = mkdtempSync(join(tmpdir(), 'kw-conformance-'));
const env = { ...process.env, XDG_DATA_HOME: join(folder, 'data'), NO_COLOR: '1' };
try {
  process.exitCode = report(conformance());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a cluster, runs the tests, and returns their results. */
function conformance() {
  const project = join(folder, 'project');
  mkdirSync(project);
  const layouts = assembleImages({ folder: join(folder, 'images'), agnhost: join(programs, 'agnhost') });
  for (const layout of layouts) kubewright(project, 'images', 'load', layout);
  const kubeconfig = join(folder, 'kubeconfig');
  const node = [
    '--nodes',
    '2',
    '--driver',
    'container',
    '--network',
    'isolated',
    '--allow-root-pods',
    '--allow-host-path',
  ];
  kubewright(project, 'cluster', 'up', '--background', ...node, '--kubeconfig', kubeconfig);
  try {
    const results = join(folder, 'results.json');
    const minutes = Number(flags.minutes);
    const args = [
      ...[`--kubeconfig=${kubeconfig}`, `--kubectl-path=${find('kubectl')}`, '--provider=skeleton', '--num-nodes=2'],
      ...['--minStartupPods=0', '--disable-log-dump', '--dump-logs-on-failure=false', '--ginkgo.no-color'],
      `--ginkgo.focus=${flags.focus}.*\\[Conformance\\]`,
      ...[`--ginkgo.skip=${flags.skip}`, `--ginkgo.timeout=${minutes}m`, `--ginkgo.json-report=${results}`],
    ];
    // Failures are reported below, so the exit code does not matter.
    spawnSync(join(programs, 'e2e.test'), args, { env, stdio: ['ignore', 2, 2], timeout: (minutes + 5) * 60_000 });
    return JSON.parse(readFileSync(results, 'utf8'))[0].SpecReports;
  } finally {
    kubewright(project, 'cluster', 'down');
  }
}

/** Prints the results by group; returns the exit code. */
function report(specs) {
  const ran = specs
    .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State !== 'skipped')
    .map(({ ContainerHierarchyTexts, LeafNodeText, State, Failure }) => ({
      name: [...ContainerHierarchyTexts, LeafNodeText].join(' '),
      passed: State === 'passed',
      why: (Failure?.Message ?? State).replace(/\s+/g, ' ').slice(0, 300),
    }));
  const groups = new Map();
  for (const { name, passed } of ran) {
    const group = /^\[sig-([a-z-]+)\]/.exec(name)?.[1] ?? 'other';
    const counts = groups.get(group) ?? { passed: 0, all: 0 };
    groups.set(group, { passed: counts.passed + Number(passed), all: counts.all + 1 });
  }
  for (const [group, { passed, all }] of groups) process.stdout.write(`${group}: ${passed} of ${all} passed\n`);
  const isKnown = (name) => known.some((each) => name.includes(each.name));
  const unknown = ran.filter(({ name, passed }) => !passed && !isKnown(name));
  const repaired = ran.filter(({ name, passed }) => passed && isKnown(name));
  for (const { name, why } of unknown) process.stdout.write(`FAILED ${name}\n  why: ${why}\n`);
  for (const { name } of repaired) process.stdout.write(`PASSED, so remove it from known-failures.json: ${name}\n`);
  process.stdout.write(`${ran.filter(({ passed }) => passed).length} of ${ran.length} passed\n`);
  return ran.length === 0 || unknown.length > 0 || repaired.length > 0 ? 1 : 0;
}

function kubewright(cwd, ...args) {
  outputOf(process.execPath, [join(root, 'packages/cli/dist/main.js'), ...args], { cwd, env });
}

/** Returns the output of a program. Ends this one if it fails. */
function outputOf(program, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  if (status !== 0) fail(`${program} ${args.join(' ')} failed: ${stderr || stdout}`);
  return stdout;
}

function fail(what) {
  process.stderr.write(`the conformance tests cannot run: ${what}\n`);
  process.exit(1);
}
