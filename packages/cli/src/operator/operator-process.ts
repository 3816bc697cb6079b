import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '@kubewright/apimachinery';
import { type BuildContext, context, type Metafile } from 'esbuild';
import type { LogRecord } from '../operator-log/log-record.ts';
import { OperatorOutput } from '../operator-log/operator-output.ts';
import type { Child, CliEnvironment } from '../program/cli-environment.ts';
import type { Project } from '../project/find-project.ts';
import { bundleError, bundleSettings } from './bundle-operator.ts';
import { type StandbyProcess, startStandby } from './standby-process.ts';

/** Libraries that are not bundled: they do not change between saves, so a process can preload them. */
const libraries = ['@kubewright/*'];
/** The time after which an operator counts as started, even if it has not reported its workers, in milliseconds. */
const maxStartMs = 3_000;
/** The time an operator has to stop before it is killed, in milliseconds. */
const graceMs = 1_200;

export interface OperatorOptions {
  readonly project: Project;
  readonly environment: CliEnvironment;
  /** Returns the path of the kubeconfig; called on every start. */
  readonly kubeconfig: () => string;
  /** Returns further flags of the operator. */
  readonly flags?: (() => readonly string[]) | undefined;
  /** Returns the operator's environment variables other than KUBECONFIG. */
  readonly variables?: (() => Readonly<Record<string, string>>) | undefined;
  /** Called when the operator starts. */
  readonly onStart?: (() => void) | undefined;
  /** Called when the operator exits unexpectedly. */
  readonly onEnd: (exitCode: number) => void;
  /** Folder of the bundle in `.kubewright`. @defaultValue 'dev' */
  readonly folder?: string | undefined;
  /** Shows all stack frames. @defaultValue false */
  readonly fullStacks?: boolean | undefined;
  /** Writes the operator's output. @defaultValue the program's output */
  readonly write?: ((text: string) => void) | undefined;
  /** Receives the operator's output as records instead of text. */
  readonly report?: ((record: object) => void) | undefined;
  /** Receives the operator's log records. */
  readonly onRecord?: ((record: LogRecord) => void) | undefined;
}

/**
 * Runs the operator of a project as a separate process, bundled again for each start. A standby process preloads the libraries
 * and becomes the operator on the next start.
 */
export class OperatorProcess implements AsyncDisposable {
  readonly #options: OperatorOptions;
  readonly #folder: string;
  readonly #outfile: string;
  #bundler: BuildContext<{ readonly metafile: true }> | undefined;
  #child: Child | undefined;
  #next: StandbyProcess | undefined;
  #loads: readonly string[] = [];
  #working: (() => void) | undefined;
  #isWorking = false;
  #isDisposed = false;

  constructor(options: OperatorOptions) {
    this.#options = options;
    this.#folder = join(options.project.root, '.kubewright', options.folder ?? 'dev');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#outfile = join(this.#folder, 'main.mjs');
  }

  /**
   * Bundles and preloads libraries before the first start, in parallel with other work. Failures are reported when the
   * operator starts.
   */
  async prepare(): Promise<void> {
    try {
      await this.#bundle();
      this.#startStandby();
    } catch {
      // The start reports it.
    }
  }

  /** Bundles and replaces the running operator, which keeps running if the bundle fails. @throws CliError KW7501 */
  async restart(): Promise<void> {
    await this.#bundle();
    await this.#stop();
    this.#start();
  }

  /** True from the start of the operator until it exits. */
  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Resolves when the operator reports that its workers have started, when it exits, or after a time limit. */
  async working(signal: AbortSignal): Promise<void> {
    if (this.#isWorking || !this.#child || signal.aborted) return;
    const { clock } = this.#options.environment;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimer(maxStartMs, resolve);
      this.#working = () => {
        timer[Symbol.dispose]();
        resolve();
      };
      signal.addEventListener('abort', () => this.#working?.(), { once: true });
    });
  }

  /** Stops the operator and waits until it has exited. */
  async stop(): Promise<void> {
    await this.#stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#next?.child.kill('SIGKILL');
    await Promise.all([this.#stop(), this.#next?.child.ended, this.#bundler?.dispose()]);
  }

  async #bundle(): Promise<void> {
    const { root } = this.#options.project;
    const settings = bundleSettings({ root, entry: join(root, 'src', 'main.ts'), outfile: this.#outfile });
    try {
      this.#bundler ??= await context({ ...settings, external: libraries });
      this.#loads = librariesOf((await this.#bundler.rebuild()).metafile);
    } catch (error) {
      throw await bundleError(error);
    }
  }

  #startStandby(): void {
    const { environment, project } = this.#options;
    if (this.#next || this.#isDisposed || environment.signal.aborted) return;
    const next = startStandby(environment, { folder: this.#folder, cwd: project.root, libraries: this.#loads });
    this.#next = next;
    // If the standby process ends, the next start creates another one.
    void next.child.ended.then(() => {
      if (this.#next === next) this.#next = undefined;
    });
  }

  #start(): void {
    const { project, environment, onEnd, report, fullStacks = false } = this.#options;
    const { stdout, colors } = environment;
    // The operator shares the machine's addresses: avoid conflicts with other operators.
    const addresses = ['--health-probe-bind-address=0', '--metrics-bind-address=0', ...(this.#options.flags?.() ?? [])];
    // The formatted log needs JSON records; reconcile results are logged at debug level.
    const flags = ['--zap-encoder=json', '--zap-log-level=debug', ...addresses];
    const write = this.#options.write ?? ((text: string) => void stdout.write(text));
    const onRecord = (record: LogRecord): void => this.#heard(record);
    const view = { root: project.root, full: fullStacks, colors, isPlaced: true };
    const output = new OperatorOutput({ ...view, write, report, onRecord });
    this.#startStandby();
    const next = this.#next;
    if (!next) return;
    this.#next = undefined;
    next.onOutput = (text) => output.take(text);
    next.run({
      main: this.#outfile,
      args: flags,
      env: { ...this.#options.variables?.(), KUBECONFIG: this.#options.kubeconfig() },
    });
    const { child } = next;
    this.#child = child;
    this.#isWorking = false;
    this.#options.onStart?.();
    void child.ended.then((exitCode) => {
      output.end();
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#works();
      onEnd(exitCode);
    });
  }

  #heard(record: LogRecord): void {
    this.#options.onRecord?.(record);
    if (record.event === 'controller.started') this.#works();
  }

  #works(): void {
    this.#isWorking = true;
    this.#working?.();
    // Do not start the standby process earlier: two processes that load the same libraries slow each other down.
    this.#startStandby();
  }

  async #stop(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    child.kill('SIGTERM');
    const over = new AbortController();
    const late = sleep(this.#options.environment.clock, { ms: graceMs, signal: over.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    await child.ended;
    over.abort();
    await late;
  }
}

/** Returns the imports that the bundle leaves to Node. */
function librariesOf({ outputs }: Metafile): readonly string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  return [
    ...new Set(imports.filter(({ external, path }) => external && !path.startsWith('node:')).map(({ path }) => path)),
  ];
}
