import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { Generator } from '@kubewright/codegen';
import { startCluster } from '../cluster/start-cluster.ts';
import { StateFolder } from '../cluster/state-folder.ts';
import { stopped } from '../cluster/up.ts';
import { applyObjects, type Target } from '../deploy/apply-objects.ts';
import { installObjects } from '../deploy/deploy.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { failureOf } from '../program/failure.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { generateProject } from '../project/generate-project.ts';
import { type Generate, samplesOf } from '../project/manifests.ts';
import { Changes } from './changes.ts';
import { OperatorProcess } from './operator-process.ts';
import { awaitSamples } from './samples.ts';

/** Flags of `dev`. */
export interface DevOptions {
  readonly ci?: boolean;
  readonly port?: number;
}

/** Runs cluster and operator until Ctrl-C, or with `--ci` until the samples are ready. */
export async function dev(context: Context, { ci = false, port }: DevOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const { signal } = surroundings;
  const project = requireProject(surroundings.cwd);
  const folder = new StateFolder(project.root);
  await using cluster = await startCluster(surroundings, { folder, settings: { port } });
  try {
    reporter.step('cluster ready', cluster.url);
    const target = { client: cluster.client(), surroundings };
    const loop = new DevLoop(context, { project, target });
    // Manifests of the last time will do to begin with: reading the types takes longer than all the rest.
    const isNew = !existsSync(join(project.root, 'config', 'default', 'kustomization.yaml'));
    if (isNew || ci) await loop.generate();
    await loop.apply();
    const account = { namespace: `${project.name}-system`, name: `${project.name}-controller-manager` };
    const kubeconfig = await cluster.logInAs(account);
    let failed: (error: Error) => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      failed = reject;
    });
    ended.catch(() => undefined); // told by onEnd where nobody waits
    const onEnd = (exitCode: number): void => {
      const error = operatorEnded(exitCode);
      failed(error);
      if (!ci && !signal.aborted) reporter.failure({ ...error.text, code: error.code });
    };
    await using operator = new OperatorProcess({ project, surroundings, kubeconfig, onEnd });
    await loop.attempt(() => operator.restart(), { insist: ci });
    reporter.step('operator started', `as ${account.namespace}/${account.name}`);
    if (ci) await Promise.race([awaitSamples(target, { project, reporter }), ended, stopped(signal)]);
    else await loop.run(operator, { isNew, kubeconfig: cluster.kubeconfig });
    signal.throwIfAborted();
  } catch (error) {
    // Ctrl-C is how this ends.
    if (!signal.aborted || ci) throw error;
  } finally {
    folder.forget();
  }
  await cluster.stop();
  reporter.step('stopped');
}

function operatorEnded(exitCode: number): CliError {
  return new CliError('KW7502', {
    what: 'the operator ended by itself',
    why: `its exit code is ${exitCode}; what it wrote last is above`,
    remedy: 'mend it and save: it is started again then',
  });
}

/** What is done again at every save. */
class DevLoop {
  readonly #context: Context;
  readonly #project: Project;
  readonly #target: Target;
  readonly #generator: Generator;
  readonly #applied = new Map<string, string>();

  constructor(context: Context, { project, target }: { readonly project: Project; readonly target: Target }) {
    this.#context = context;
    this.#project = project;
    this.#target = target;
    this.#generator = new Generator({ root: project.root, projectName: project.name });
  }

  /** Restarts the operator whenever sources change. Bundling goes first: it is what the user waits for. */
  async run(
    operator: OperatorProcess,
    options: { readonly isNew: boolean; readonly kubeconfig: string },
  ): Promise<void> {
    const { surroundings, reporter } = this.#context;
    const { clock, signal, cwd } = surroundings;
    const [sample = 'config/samples'] = samplesOf(this.#project);
    const path = relative(cwd, join(this.#project.root, sample));
    reporter.text(
      `\n  export KUBECONFIG='${options.kubeconfig}'\n  kubectl apply -f ${path}\n\nSave a file to restart the operator; Ctrl-C stops everything.\n\n`,
    );
    using changes = new Changes(join(this.#project.root, 'src'), clock);
    if (!options.isNew) await this.attempt(() => this.update());
    while (!signal.aborted) {
      await changes.next(signal);
      if (signal.aborted) return;
      const from = clock.monotonic();
      const restarted = await this.attempt(() => operator.restart());
      if (restarted) reporter.step('operator restarted', `${Math.round(clock.monotonic() - from)} ms`);
      await this.attempt(() => this.update());
    }
  }

  /** Makes manifests anew, and applies what is different. */
  async update(): Promise<void> {
    await this.generate();
    await this.apply();
  }

  async generate(): Promise<void> {
    const generate: Generate = (options) => this.#generator.generate(options);
    await generateProject(this.#project, { ...this.#context, generate });
  }

  /** Applies everything but the deployment, for which the operator's process stands. */
  async apply(): Promise<void> {
    const { reporter } = this.#context;
    const objects = installObjects(this.#project).filter(({ kind }) => !['Deployment', 'Service'].includes(kind));
    const changed = objects.filter((object) => this.#applied.get(keyOf(object)) !== JSON.stringify(object));
    if (changed.length === 0) return;
    await applyObjects(this.#target, changed);
    for (const object of changed) {
      this.#applied.set(keyOf(object), JSON.stringify(object));
      if (object.kind === 'CustomResourceDefinition') reporter.step('kind installed', object.metadata?.name ?? '');
    }
  }

  /** Tells of a failure that the user's next save may mend; `insist`: fails with it. */
  async attempt(work: () => Promise<void>, { insist = false }: { readonly insist?: boolean } = {}): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const { reporter, surroundings } = this.#context;
      if (insist || surroundings.signal.aborted) throw error;
      reporter.failure(failureOf(error, { debug: Boolean(surroundings.env['KUBEWRIGHT_DEBUG']) }).message);
      return false;
    }
  }
}

function keyOf({ kind, metadata }: UnstructuredObject): string {
  return `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`;
}
