import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Secret } from '@kubewright/apimachinery/core/v1';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { Manager, prettyLogger } from '@kubewright/runtime';
import { postgresql } from '../src/controllers/postgresql.ts';
import { embeddedPostgres } from './embedded-postgres.ts';
import { hasKubectl } from './find-kubectl.ts';
import { readFlags, type StartFlags, usage } from './flags.ts';
import { followSample } from './follow-sample.ts';
import { HeldOutput } from './held-output.ts';
import { instructions } from './instructions.ts';
import { askVersion } from './query.ts';
import { StepPrinter } from './step-printer.ts';
import { stopOnSignals } from './stop-on-signals.ts';

// This file runs from dist/dev.
const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const operatorAccount = { namespace: 'postgresql-operator-system', name: 'postgresql-operator-controller-manager' };
const sample = 'postgresql-sample';
/** How long the sample may take to come up, in milliseconds. */
const patienceMs = 90_000;

/** The development command behind `npm start`: cluster, kind, operator, sample; answers the exit code. */
export async function start(argv: readonly string[]): Promise<number> {
  const flags = parse(argv);
  if (typeof flags === 'number') return flags;
  const steps = new StepPrinter({ clock: systemClock, output: process.stdout, sinceMs: process.uptime() * 1000 });
  const held = new HeldOutput(process.stdout);
  using stop = stopOnSignals(process);
  try {
    await run(flags, { steps, held, signal: stop.signal });
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function parse(argv: readonly string[]): StartFlags | number {
  try {
    const flags = readFlags(argv);
    if (!flags.help) return flags;
    process.stdout.write(`${usage}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    return 2;
  }
}

interface Surroundings {
  readonly steps: StepPrinter;
  readonly held: HeldOutput;
  readonly signal: AbortSignal;
}

async function run(flags: StartFlags, { steps, held, signal }: Surroundings): Promise<void> {
  const colors = process.stdout.isTTY === true;
  const log = prettyLogger({ destination: held, now: systemClock.now, colors });
  await using cluster = await EmbeddedCluster.start({
    directory: join(process.cwd(), '.kubewright'),
    port: flags.port,
    clock: systemClock,
    random: systemRandom,
    log: prettyLogger({ destination: held, now: systemClock.now, colors, level: 'warn' }),
    node: {
      allowRootPods: flags.allowRootPods,
      postgresFallback: () => embeddedPostgres(process.platform, process.arch),
    },
  });
  steps.step('cluster ready', cluster.url);
  const admin = cluster.client();
  const manifests = (...names: readonly string[]) => names.map((name) => join(project, 'config', name));
  const fieldManager = 'kubewright';
  const [crd] = await applyManifests(admin, {
    files: manifests('crd/bases/database.db.example.com_postgresqls.yaml'),
    fieldManager,
  });
  steps.step('kind installed', crd?.metadata.name);
  const rbac = ['namespace', 'service_account', 'role', 'role_binding'].map((name) => `rbac/${name}.yaml`);
  await applyManifests(admin, { files: manifests(...rbac), fieldManager });
  const kubeconfig = await cluster.logInAs(operatorAccount);
  await using operator = new Manager({ controllers: [postgresql], kubeconfig, log, signal });
  const running = operator.run();
  if (!flags.empty) {
    await applyManifests(admin, { files: manifests('samples/database_v1_postgresql.yaml'), fieldManager });
    steps.step('object created', sample);
    const patience = AbortSignal.any([signal, patienceSignal()]);
    const pod = await Promise.race([
      followSample({ client: admin, name: sample, steps, signal: patience }),
      failed(running),
    ]);
    const credentials = await admin.resource(Secret).get({ namespace: 'default', name: `${sample}-credentials` });
    const decode = (key: string): string => Buffer.from(credentials.data?.[key] ?? '', 'base64').toString('utf8');
    const login = { host: pod.status?.podIP ?? '', user: decode('username'), password: decode('password') };
    steps.step('Pg Phase: up', await askVersion(login));
  }
  if (flags.once) return;
  steps.text(
    `\n${instructions({
      kubeconfig: cluster.kubeconfig,
      project,
      workingDirectory: process.env['INIT_CWD'] ?? process.cwd(),
      hasKubectl: hasKubectl(process.env['PATH'], process.platform),
      hasSample: !flags.empty,
    })}\n`,
  );
  held.release();
  await running;
}

/** Rejects when the operator ends before its time. */
async function failed(running: Promise<void>): Promise<never> {
  await running;
  throw new Error('the operator ended before the sample was up');
}

function patienceSignal(): AbortSignal {
  const controller = new AbortController();
  const why = new Error(`the sample was not up after ${patienceMs / 1000} s; kubectl describe pod ${sample} says why`);
  systemClock.setTimer(patienceMs, () => controller.abort(why), { unref: true });
  return controller.signal;
}
