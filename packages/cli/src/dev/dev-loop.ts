import { join, relative } from 'node:path';
import { sleep } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { Generator } from '@kubewright/codegen';
import type { Generate } from '../generate/manifests.ts';
import type { OperatorProcess } from '../operator/operator-process.ts';
import type { Context } from '../program/context.ts';
import { failureOf } from '../program/failure.ts';
import { shellWord } from '../program/shell-word.ts';
import type { Project } from '../project/find-project.ts';
import { samplesOf } from '../project/sample-files.ts';
import { servesKinds } from '../project/serves-kinds.ts';
import { installObjects } from '../render/install-objects.ts';
import { available, isDelegated } from '../target/api-services.ts';
import { applySamples } from '../target/samples.ts';
import type { DevCluster } from './cluster/dev-cluster.ts';
import { keyOf } from './cluster/dev-objects.ts';
import { checkSamples, installedCrd, reportKindChange } from './kind-changes.ts';
import { TestRun } from './test-run.ts';
import { Changes } from './watch/changes.ts';
import { type LoopTrigger, LoopTriggers } from './watch/loop-triggers.ts';

const keys: Readonly<Record<string, LoopTrigger>> = { a: 'apply', r: 'restart', t: 'test', q: 'quit' };

/** The longest time until a save is detected, in milliseconds. */
const noticedMs = 200;

/** Thrown if the code was saved again while it was being read: the errors would refer to outdated code. */
class CodeChangedError extends Error {}

/** The development loop: the steps that run again on every save. */
export class DevLoop {
  readonly #context: Context;
  readonly #project: Project;
  readonly #cluster: DevCluster;
  #generator: Generator | undefined;
  readonly #tests: TestRun;
  readonly #applied = new Map<string, string>();
  readonly #triggers = new LoopTriggers();
  #isBroken = false;

  constructor(context: Context, { project, cluster }: { readonly project: Project; readonly cluster: DevCluster }) {
    this.#context = context;
    this.#project = project;
    this.#cluster = cluster;
    this.#tests = new TestRun(project, context);
  }

  /** Starts watching for saves; `run` processes them. */
  watch(): Disposable {
    const { clock } = this.#context.environment;
    return new Changes(join(this.#project.root, 'src'), { clock, onChange: () => this.#triggers.add('saved') });
  }

  /** Restarts the operator when sources change and handles key presses. */
  async run(operator: OperatorProcess, { isNew }: { readonly isNew: boolean }): Promise<void> {
    const { environment } = this.#context;
    const { signal } = environment;
    using _keys = environment.keys?.((key) => {
      const what = keys[key.toLowerCase()];
      if (what) this.#triggers.add(what);
    });
    this.#printHow();
    // Reading types blocks this process and with it the cluster, so the operator starts first.
    if (!isNew && !this.#isBroken) await this.attempt(() => this.update());
    for (;;) {
      const what = await this.#triggers.next(signal);
      if (what === 'quit') return;
      await this.#do(what, operator);
    }
  }

  async #do(what: Exclude<LoopTrigger, 'quit'>, operator: OperatorProcess): Promise<void> {
    const { environment, reporter } = this.#context;
    if (what === 'test') return this.#tests.start();
    if (what === 'apply') {
      await this.attempt(async () => {
        const objects = await applySamples({ client: this.#cluster.client, environment }, { project: this.#project });
        for (const { kind, metadata } of objects) reporter.step('sample applied', `${kind} ${metadata?.name}`);
      });
      return;
    }
    const { clock } = environment;
    const from = clock.monotonic();
    // Bundles first, because the user is waiting for the operator. If the bundle contains generated definitions,
    // generates them first.
    const isGenerated = servesKinds(this.#project) && (await this.attempt(() => this.generate()));
    if (!(await this.startOperator(operator))) return;
    reporter.step('operator restarted', `${Math.round(clock.monotonic() - from)} ms`);
    await this.attempt(() => (isGenerated ? this.apply() : this.update()));
  }

  /** Waits until the cluster forwards requests to the API server of the project, if it has one. */
  async awaitApis(): Promise<void> {
    const { environment, reporter } = this.#context;
    for (const { metadata } of installObjects(this.#project).filter(isDelegated)) {
      const name = metadata?.name ?? '';
      await available({ client: this.#cluster.client, environment }, name);
      reporter.step('API available', name);
    }
  }

  /** Bundles and starts the operator. Returns false if the code cannot be bundled; the other steps would fail too. */
  async startOperator(operator: OperatorProcess, how: { readonly insist?: boolean } = {}): Promise<boolean> {
    const isStarted = await this.attempt(() => operator.restart(), how);
    this.#isBroken = !isStarted;
    if (!isStarted && operator.isRunning)
      this.#context.reporter.step('operator unchanged', 'the previous build is still running', 'bad');
    return isStarted;
  }

  /** True after the bundler has reported errors in the code; other steps need not repeat them. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Regenerates the manifests and applies the manifests that changed. */
  async update(): Promise<void> {
    await this.generate();
    await this.apply();
  }

  async generate(): Promise<void> {
    // Imported lazily, because it loads a compiler, which would slow down startup.
    const { Generator } = await import('@kubewright/codegen');
    const { generateProject } = await import('../generate/generate-project.ts');
    const { root, name: projectName } = this.#project;
    this.#generator ??= new Generator({ root, projectName });
    const generator = this.#generator;
    const generate: Generate = async (options) => {
      const result = await generator.generate(options);
      if (result.problems.some(({ severity }) => severity === 'error')) await this.#rejectOld();
      return result;
    };
    await generateProject(this.#project, { ...this.#context, generate, brief: true });
  }

  /** @throws SavedMeanwhile if the code has changed since it was read */
  async #rejectOld(): Promise<void> {
    const { clock, signal } = this.#context.environment;
    await sleep(clock, { ms: noticedMs, signal });
    if (this.#triggers.has('saved')) throw new CodeChangedError();
  }

  /** Applies everything except the deployment and the services: the operator runs as a local process. */
  async apply(): Promise<void> {
    const objects = installObjects(this.#project).filter(({ kind }) => !['Deployment', 'Service'].includes(kind));
    const changed = objects.filter((object) => this.#applied.get(keyOf(object)) !== stringifyJson(object));
    await this.#cluster.keepOnly(objects);
    if (changed.length === 0) return;
    const crds = changed.filter(({ kind }) => kind === 'CustomResourceDefinition');
    const target = { client: this.#cluster.client, environment: this.#context.environment };
    const before = await Promise.all(crds.map(({ metadata }) => installedCrd(target, metadata?.name ?? '')));
    await this.#cluster.apply(changed);
    for (const object of changed) this.#applied.set(keyOf(object), stringifyJson(object));
    const { reporter } = this.#context;
    for (const [i, after] of crds.entries()) {
      const old = before[i];
      if (old) await reportKindChange(target, { before: old, after, reporter });
      reporter.step('kind installed', after.metadata?.name ?? '');
    }
    if (before.some(Boolean)) await checkSamples(target, { project: this.#project, reporter });
  }

  /**
   * Runs a step and reports its failure, which the user's next save may fix. With `insist`, throws the error instead.
   */
  async attempt(work: () => Promise<void>, { insist = false }: { readonly insist?: boolean } = {}): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof CodeChangedError) return false;
      const { reporter, environment } = this.#context;
      if (insist || environment.signal.aborted) throw error;
      reporter.failure(failureOf(error, { debug: Boolean(environment.env['KUBEWRIGHT_DEBUG']) }).message);
      return false;
    }
  }

  #printHow(): void {
    const { environment, reporter } = this.#context;
    const { kubeconfig } = this.#cluster;
    const [sample = 'config/samples'] = samplesOf(this.#project);
    const path = relative(environment.cwd, join(this.#project.root, sample));
    if (kubeconfig !== undefined)
      reporter.text(`\n  export KUBECONFIG=${shellWord(kubeconfig)}\n  kubectl apply -f ${shellWord(path)}\n\n`);
    reporter.text(
      environment.keys
        ? 'a apply sample · r restart · t run tests · q quit; saving a file also restarts the operator\n\n'
        : 'Save a file to restart the operator; press Ctrl-C to stop.\n\n',
    );
  }
}
