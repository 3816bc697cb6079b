import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sleep, systemClock, systemRandom } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { Manager, prettyLogger } from '@kubewright/runtime';
import { postgresql } from '../src/controllers/postgresql.ts';
import { embeddedPostgres } from './embedded-postgres.ts';
import { hasProgram } from './find-program.ts';
import type { StartFlags } from './flags.mjs';
import type { HeldOutput } from './held-output.ts';
import { instructions } from './instructions.ts';
import { showSample } from './show-sample.ts';
import type { StepPrinter } from './step-printer.ts';

// This file runs from dist/dev.
const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const operatorAccount = { namespace: 'postgresql-operator-system', name: 'postgresql-operator-controller-manager' };
const fieldManager = 'kubewright';

/** The output of a run, and the signal that ends it. */
export interface RunOptions {
  readonly steps: StepPrinter;
  /** Buffers the log until the steps are complete. */
  readonly held: HeldOutput;
  readonly colors: boolean;
  readonly signal: AbortSignal;
}

/**
 * Time limit for stopping after Ctrl-C, in milliseconds: first the operator stops, then the cluster in the remaining
 * time.
 */
const stopMs = 4_000;
const operatorStopMs = 1_200;

/**
 * Runs the cluster and the operator until `signal` is aborted, or with `--once` until the sample is up. Then stops
 * both.
 */
export async function runCluster(flags: StartFlags, options: RunOptions): Promise<void> {
  const { steps, held, colors, signal } = options;
  const logger = (level: 'info' | 'warn') => prettyLogger({ destination: held, now: systemClock.now, colors, level });
  const cluster = await startCluster(flags, logger('warn'));
  let operator: Manager | undefined;
  await using _both = { [Symbol.asyncDispose]: () => stopBoth(cluster, operator) };
  signal.throwIfAborted();
  steps.step('cluster ready', cluster.url);
  if (cluster.takenPort !== undefined) steps.step('port taken', otherPort(cluster.takenPort), 'bad');
  const admin = cluster.client();
  await install(admin, steps);
  const kubeconfig = await cluster.logInAs(operatorAccount);
  operator = new Manager({
    controllers: [postgresql],
    kubeconfig,
    log: logger('info'),
    signal,
    gracefulShutdownTimeoutMs: 700,
  });
  const running = operator.run();
  if (!flags.empty) {
    const files = [join(project, 'config', 'samples', 'database_v1_postgresql.yaml')];
    await showSample(admin, { files, fieldManager, steps, running, signal, insist: flags.once });
  }
  if (flags.once) return;
  steps.text(`\n${nextSteps(cluster.kubeconfig, flags)}\n`);
  held.release();
  await running;
}

/** Returns the notice that the port has changed: an exported KUBECONFIG and other terminals still use the old port. */
function otherPort(taken: number): string {
  return `port ${taken} of the previous run is in use; the kubeconfig has a new port for this run, and the next start will try port ${taken} again`;
}

/** Stops the operator first, so that its last writes arrive; a reconcile that never ends is abandoned. */
async function stopBoth(cluster: EmbeddedCluster, operator: Manager | undefined): Promise<void> {
  const from = systemClock.monotonic();
  const over = new AbortController();
  const patience = sleep(systemClock, { ms: operatorStopMs, signal: over.signal }).catch(() => undefined);
  await Promise.race([operator?.[Symbol.asyncDispose](), patience]);
  over.abort();
  await cluster.stop({ withinMs: stopMs - (systemClock.monotonic() - from) });
}

function startCluster(flags: StartFlags, log: ReturnType<typeof prettyLogger>): Promise<EmbeddedCluster> {
  return EmbeddedCluster.start({
    directory: join(process.cwd(), '.kubewright'),
    port: flags.port,
    clock: systemClock,
    random: systemRandom,
    log,
    node: {
      network: flags.network,
      allowRootPods: flags.allowRootPods,
      // npm changes to the project's root and passes the original folder here.
      imageFile: resolve(process.env['INIT_CWD'] ?? '.', flags.images ?? 'kubewright-images.json'),
      allowHostPrograms: flags.allowHostPrograms,
      postgresFallback: () => embeddedPostgres(process.platform, process.arch),
    },
  });
}

/** Installs the kind and the operator's permissions. */
async function install(admin: KubernetesClient, steps: StepPrinter): Promise<void> {
  const manifests = (...names: readonly string[]) => names.map((name) => join(project, 'config', name));
  const files = manifests('crd/bases/database.db.example.com_postgresqls.yaml');
  const [crd] = await applyManifests(admin, { files, fieldManager });
  steps.step('kind installed', crd?.metadata.name);
  const rbac = ['namespace', 'service_account', 'role', 'role_binding'].map((name) => `rbac/${name}.yaml`);
  await applyManifests(admin, { files: manifests(...rbac), fieldManager });
}

function nextSteps(kubeconfig: string, { empty, network }: StartFlags): string {
  const { env, platform } = process;
  const search = { path: env['PATH'], platform };
  return instructions({
    kubeconfig,
    project,
    // npm changes to the project's root and passes the original folder here.
    workingDirectory: env['INIT_CWD'] ?? process.cwd(),
    hasKubectl: hasProgram('kubectl', search),
    hasPsql: hasProgram('psql', search),
    hasSample: !empty,
    isIsolated: network === 'isolated',
  });
}
