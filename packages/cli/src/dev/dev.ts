import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { stopped } from '../cluster/up.ts';
import { OperatorProcess } from '../operator/operator-process.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { servesKinds } from '../project/serves-kinds.ts';
import { awaitSamples } from '../target/samples.ts';
import { TypeCheck } from '../type-check/type-check.ts';
import { contextDevCluster } from './cluster/context-dev-cluster.ts';
import { type DevCluster, embeddedDevCluster } from './cluster/dev-cluster.ts';
import { DevLoop } from './dev-loop.ts';
import { runCommand } from './run-command.ts';

/** Flags of `dev`. */
export interface DevOptions {
  readonly ci?: boolean | undefined;
  /** A shell command to run next to the operator; `dev` exits when the command exits. */
  readonly run?: string | undefined;
  readonly port?: number | undefined;
  readonly nodes?: number | undefined;
  readonly driver?: 'process' | 'container' | 'simulated' | undefined;
  readonly context?: string | undefined;
  readonly allowContext?: string | undefined;
  readonly webhookHost?: string | undefined;
  /** @defaultValue true */
  readonly webhooks?: boolean | undefined;
  readonly fullStacks?: boolean | undefined;
  /** @defaultValue true */
  readonly typeCheck?: boolean | undefined;
}

/** The cluster that the operator runs in; empty until it has started. */
interface RunningCluster {
  cluster?: DevCluster;
  kubeconfig?: string;
}

/**
 * Runs the operator in a cluster until Ctrl-C. With `--ci`, stops when the samples are ready; with `--run`, when a
 * command exits.
 */
export async function dev(context: Context, options: DevOptions): Promise<void> {
  const { environment, reporter } = context;
  const { signal } = environment;
  const project = requireProject(environment.cwd);
  if (options.context === undefined && (options.webhookHost !== undefined || options.webhooks === false))
    throw withoutContext();
  const running: RunningCluster = {};
  const ending = endOfOperator(context, { isBatch: options.ci === true || options.run !== undefined, running });
  await using operator = new OperatorProcess({
    project,
    environment,
    kubeconfig: () => running.kubeconfig ?? '',
    flags: () => running.cluster?.flags ?? [],
    variables: () => running.cluster?.variables ?? {},
    onStart: () => running.cluster?.operatorIsDown(undefined),
    onEnd: ending.onEnd,
    fullStacks: options.fullStacks,
    report: reporter.json ? (record) => reporter.record(record) : undefined,
  });
  // Bundles while the cluster starts.
  const prepared = operator.prepare();
  try {
    running.cluster = await clusterOf(context, { project, options });
    await prepared;
    await develop(context, { project, cluster: running.cluster, running, options, operator, ended: ending.ended });
    signal.throwIfAborted();
  } catch (error) {
    // Ctrl-C is the normal way to stop.
    if (!signal.aborted || options.ci || options.run !== undefined) throw error;
  } finally {
    await operator.stop();
    await running.cluster?.stop();
  }
  reporter.step('stopped');
}

function clusterOf(
  context: Context,
  { project, options }: { readonly project: Project; readonly options: DevOptions },
): Promise<DevCluster> {
  const { context: name, allowContext, webhookHost, webhooks } = options;
  if (name !== undefined)
    return contextDevCluster(context, { project, choice: { context: name, allowContext, webhookHost, webhooks } });
  return embeddedDevCluster(context, { project, settings: options });
}

interface Development {
  readonly project: Project;
  readonly cluster: DevCluster;
  readonly running: RunningCluster;
  readonly options: DevOptions;
  readonly operator: OperatorProcess;
  /** Rejects when the operator exits unexpectedly. */
  readonly ended: Promise<never>;
}

async function develop(context: Context, parts: Development): Promise<void> {
  const { project, cluster, running, options, operator, ended } = parts;
  const { environment, reporter } = context;
  const { signal } = environment;
  const { ci = false, run, typeCheck = true } = options;
  reporter.step('cluster ready', cluster.server);
  const loop = new DevLoop(context, { project, cluster });
  // The existing manifests are good enough to start with: reading the types takes longer than everything else.
  const isNew = !existsSync(join(project.root, 'config', 'default', 'kustomization.yaml'));
  const isBatch = ci || run !== undefined;
  const isBundled = servesKinds(project);
  if (isNew || isBatch) await loop.generate();
  else if (isBundled) await loop.attempt(() => loop.generate());
  await loop.apply();
  const account = { namespace: `${project.name}-system`, name: `${project.name}-controller-manager` };
  running.kubeconfig = await cluster.logInAs(account);
  await using types = new TypeCheck(project, context, { isSyntaxReported: () => loop.isBroken });
  // Watches before the first bundle, so that a save during the start is not lost.
  using _changes = loop.watch();
  try {
    const isStarted = await loop.startOperator(operator, { insist: isBatch });
    if (isStarted) reporter.step('operator started', `as ${account.namespace}/${account.name}`);
    if (isBatch) {
      if (ci && typeCheck) types.start();
      const work = ci ? samplesReady(context, { project, cluster, loop }) : undefined;
      await Promise.race([work, ended, stopped(signal)]);
      if (ci && typeCheck) await Promise.race([types.assertPassed(), stopped(signal)]);
      if (run !== undefined) await runAlongside(context, { command: run, operator, cluster, ended });
    } else {
      await operator.working(signal);
      await loop.attempt(() => loop.awaitApis());
      if (typeCheck) types.start();
      await loop.run(operator, { isNew: isNew || isBundled });
    }
  } finally {
    await cluster.beforeStop();
  }
}

async function samplesReady(
  { environment, reporter }: Context,
  { project, cluster, loop }: Pick<Development, 'project' | 'cluster'> & { readonly loop: DevLoop },
): Promise<void> {
  await loop.awaitApis();
  await awaitSamples({ client: cluster.client, environment }, { project, reporter });
}

/** Runs the user's command; `dev` exits with its code. Rejects if the operator ends before it. */
async function runAlongside(
  context: Context,
  {
    command,
    operator,
    cluster,
    ended,
  }: Pick<Development, 'operator' | 'cluster' | 'ended'> & { readonly command: string },
): Promise<void> {
  const { signal } = context.environment;
  await operator.working(signal);
  const over = new AbortController();
  const { kubeconfig } = cluster;
  const running = runCommand(context, { command, kubeconfig, signal: AbortSignal.any([signal, over.signal]) });
  try {
    await Promise.race([running, ended]);
  } finally {
    over.abort();
    context.exitWith(await running);
  }
}

/** Reports an operator that exits unexpectedly. */
function endOfOperator(
  { environment, reporter }: Context,
  { isBatch, running }: { readonly isBatch: boolean; readonly running: RunningCluster },
): { readonly ended: Promise<never>; readonly onEnd: (exitCode: number) => void } {
  let failed: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    failed = reject;
  });
  ended.catch(() => undefined); // `onEnd` reports the error even if nothing awaits this promise
  const onEnd = (exitCode: number): void => {
    const error = operatorEnded(exitCode);
    failed(error);
    running.cluster?.operatorIsDown(`it exited with code ${exitCode}`);
    if (!isBatch && !environment.signal.aborted) reporter.failure({ ...error.text, code: error.code });
  };
  return { ended, onEnd };
}

function operatorEnded(exitCode: number): CliError {
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128) ?? [];
  if (signal !== undefined) {
    return new CliError('KW7502', {
      what: 'the operator was killed',
      why: `it received the signal ${signal}`,
      remedy: 'press r or save a file to restart the operator',
    });
  }
  return new CliError('KW7502', {
    what: 'the operator exited unexpectedly',
    why: `exit code ${exitCode}; see the output above`,
    remedy: 'fix the error and save the file to restart the operator',
  });
}

function withoutContext(): CliError {
  return new CliError('KW7001', {
    what: 'invalid command line',
    why: '--webhook-host and --no-webhooks require --context',
    remedy: 'add --context NAME, or remove these flags',
  });
}
