import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stopped } from '../cluster/up.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { contextPlace } from './context-place.ts';
import { DevLoop } from './dev-loop.ts';
import { type DevPlace, embeddedPlace } from './dev-place.ts';
import { OperatorProcess } from './operator-process.ts';
import { awaitSamples } from './samples.ts';
import { TypeCheck } from './type-check.ts';

/** Flags of `dev`. */
export interface DevOptions {
  readonly ci?: boolean;
  readonly port?: number;
  readonly nodes?: number;
  readonly driver?: 'process' | 'simulated';
  readonly context?: string;
  readonly allowContext?: string;
  readonly fullStacks?: boolean;
  /** @defaultValue true */
  readonly typeCheck?: boolean;
}

/** Runs the operator in a cluster until Ctrl-C, or with `--ci` until the samples are ready. */
export async function dev(context: Context, options: DevOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const { signal } = surroundings;
  const project = requireProject(surroundings.cwd);
  const place = await placeOf(context, { project, options });
  try {
    await develop(context, { project, place, options });
    signal.throwIfAborted();
  } catch (error) {
    // Ctrl-C is how this ends.
    if (!signal.aborted || options.ci) throw error;
  } finally {
    await place.stop();
  }
  reporter.step('stopped');
}

function placeOf(
  context: Context,
  { project, options }: { readonly project: Project; readonly options: DevOptions },
): Promise<DevPlace> {
  const { context: name, allowContext } = options;
  if (name !== undefined) return contextPlace(context, { project, choice: { context: name, allowContext } });
  return embeddedPlace(context, { project, settings: options });
}

async function develop(
  context: Context,
  parts: { readonly project: Project; readonly place: DevPlace; readonly options: DevOptions },
): Promise<void> {
  const { project, place, options } = parts;
  const { surroundings, reporter } = context;
  const { signal } = surroundings;
  const { ci = false, fullStacks, typeCheck = true } = options;
  reporter.step('cluster ready', place.server);
  const loop = new DevLoop(context, { project, place });
  // Manifests of the last time will do to begin with: reading the types takes longer than all the rest.
  const isNew = !existsSync(join(project.root, 'config', 'default', 'kustomization.yaml'));
  if (isNew || ci) await loop.generate();
  await loop.apply();
  const account = { namespace: `${project.name}-system`, name: `${project.name}-controller-manager` };
  const kubeconfig = await place.logInAs(account);
  let failed: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    failed = reject;
  });
  ended.catch(() => undefined); // told by onEnd where nobody waits
  const onEnd = (exitCode: number): void => {
    const error = operatorEnded(exitCode);
    failed(error);
    place.operatorIsDown(`it ended by itself with exit code ${exitCode}`);
    if (!ci && !signal.aborted) reporter.failure({ ...error.text, code: error.code });
  };
  const write = reporter.json ? (text: string) => reporter.record({ output: text.trimEnd() }) : undefined;
  await using operator = new OperatorProcess({
    project,
    surroundings,
    kubeconfig,
    onEnd,
    fullStacks,
    write,
    flags: place.flags,
    onStart: () => place.operatorIsDown(undefined),
  });
  await using types = new TypeCheck(project, context);
  try {
    await loop.attempt(() => operator.restart(), { insist: ci });
    reporter.step('operator started', `as ${account.namespace}/${account.name}`);
    if (ci) {
      const samples = awaitSamples({ client: place.client, surroundings }, { project, reporter });
      await Promise.race([samples, ended, stopped(signal)]);
    } else {
      if (typeCheck) types.start();
      await loop.run(operator, { isNew });
    }
  } finally {
    await place.beforeStop();
  }
}

function operatorEnded(exitCode: number): CliError {
  return new CliError('KW7502', {
    what: 'the operator ended by itself',
    why: `its exit code is ${exitCode}; what it wrote last is above`,
    remedy: 'mend it and save: it is started again then',
  });
}
