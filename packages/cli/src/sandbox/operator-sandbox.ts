import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { generateProject } from '../generate/generate-project.ts';
import type { Generate } from '../generate/manifests.ts';
import { OperatorProcess } from '../operator/operator-process.ts';
import { type LogRecord, textOf } from '../operator-log/log-record.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { Reporter } from '../program/reporter.ts';
import type { Project } from '../project/find-project.ts';
import { installObjects } from '../render/install-objects.ts';
import { applyObjects, type Target } from '../target/apply-objects.ts';
import { DevWebhooks } from '../webhooks/dev-webhooks.ts';

const pollMs = 20;
/** The time limits for an operator's first log line and for starting its workers, in milliseconds. */
const firstLogLineMs = 20_000;
const startMs = 30_000;

/** Options for a sandbox. */
export interface OperatorSandboxOptions {
  readonly project: Project;
  /** Adds a node that simulates containers. @defaultValue no node: pods stay pending */
  readonly withNode?: boolean | undefined;
  /** The generator of manifests. @defaultValue a single run without a cache */
  readonly generate?: Generate | undefined;
}

/** Runs a project's operator in a temporary embedded cluster. */
export class OperatorSandbox implements AsyncDisposable {
  readonly target: Target;
  /** The operator's log records so far. */
  readonly records: LogRecord[] = [];
  readonly #context: Context;
  readonly #project: Project;
  readonly #cluster: EmbeddedCluster;
  readonly #directory: string;
  #operator: OperatorProcess | undefined;
  #webhooks: DevWebhooks | undefined;
  #output = '';
  #ended: number | undefined;

  private constructor(
    context: Context,
    parts: { readonly project: Project; readonly cluster: EmbeddedCluster; readonly directory: string },
  ) {
    this.#context = context;
    this.#project = parts.project;
    this.#cluster = parts.cluster;
    this.#directory = parts.directory;
    this.target = { client: parts.cluster.client(), environment: context.environment };
  }

  /** Generates manifests, starts the cluster, installs kinds and roles, and starts the operator under its own account. */
  static async start(
    context: Context,
    { project, withNode = false, generate }: OperatorSandboxOptions,
  ): Promise<OperatorSandbox> {
    const { clock, random } = context.environment;
    const quiet = { write: () => undefined };
    const reporter = new Reporter({ stdout: quiet, stderr: quiet, json: false, colors: false });
    await generateProject(project, { ...context, reporter, ...defined({ generate }) });
    const directory = mkdtempSync(join(tmpdir(), 'kubewright-sandbox-'));
    const node = withNode ? { node: { driver: 'simulated' as const } } : {};
    const cluster = await EmbeddedCluster.start({ directory, clock, random, log: silentLogger, ...node });
    const sandbox = new OperatorSandbox(context, { project, cluster, directory });
    try {
      await sandbox.#startOperator();
      return sandbox;
    } catch (error) {
      await sandbox[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Waits for a record; undefined after a timeout. @throws CliError KW7502 if the operator exits */
  async record(
    wanted: (record: LogRecord) => boolean,
    { withinMs }: { readonly withinMs: number },
  ): Promise<LogRecord | undefined> {
    const { clock, signal } = this.#context.environment;
    for (const end = clock.monotonic() + withinMs; ; await sleep(clock, { ms: pollMs, signal })) {
      const found = this.records.find(wanted);
      if (found || clock.monotonic() > end) return found;
      if (this.#ended !== undefined) throw this.#operatorEnded(this.#ended);
    }
  }

  /** The operator's output so far, formatted for reading. */
  get output(): string {
    return this.#output;
  }

  /** Stops the operator gracefully, so that it logs its final records. */
  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
    await this.#webhooks?.[Symbol.asyncDispose]();
    await this.#cluster.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #startOperator(): Promise<void> {
    const { environment } = this.#context;
    const project = this.#project;
    const objects = installObjects(project).filter(({ kind }) => !['Deployment', 'Service'].includes(kind));
    const { client } = this.target;
    const webhooks = await DevWebhooks.start(environment, { project, client, folder: this.#directory });
    this.#webhooks = webhooks;
    await applyObjects(this.target, webhooks.local(objects));
    const namespace = `${project.name}-system`;
    const kubeconfig = await this.#cluster.logInAs({ namespace, name: `${project.name}-controller-manager` });
    this.#operator = new OperatorProcess({
      project,
      environment: { ...environment, colors: false },
      kubeconfig: () => kubeconfig,
      folder: 'sandbox',
      flags: () => webhooks.flags,
      onStart: () => webhooks.operatorIsDown(undefined),
      onEnd: (exitCode) => {
        this.#ended = exitCode;
      },
      write: (text) => {
        this.#output += text;
      },
      onRecord: (record) => void this.records.push(record),
    });
    await this.#operator.restart();
    if (!(await this.record(() => true, { withinMs: firstLogLineMs }))) throw this.#unreadable();
    await this.record(({ msg }) => msg === 'starting workers', { withinMs: startMs });
  }

  #unreadable(): CliError {
    return new CliError('KW7605', {
      what: 'cannot read the log of the operator',
      why: `the operator wrote no line in the runtime's log format within ${firstLogLineMs / 1_000} s: src/main.ts passes its own "log" to runOperator; output of the operator:\n${this.#output.trim().slice(-2_000) || 'nothing'}`,
      remedy:
        'remove "log" from the call to runOperator; set the level and format with --zap-log-level and --zap-encoder',
    });
  }

  #operatorEnded(exitCode: number): CliError {
    return new CliError('KW7502', {
      what: 'the operator exited unexpectedly',
      why: `exit code ${exitCode}; output of the operator:\n${this.#output.trim().slice(-2_000) || 'nothing'}`,
      remedy: 'fix the error; run kubewright dev to see what the operator does',
    });
  }
}

/** Returns a predicate for records about the end of a reconcile of the object. */
export function endOfReconcile(object: {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}): (record: LogRecord) => boolean {
  const { name = '', namespace = '' } = object.metadata ?? {};
  return (record) =>
    record.event === 'reconcile.ended' && textOf(record, 'name') === name && textOf(record, 'namespace') === namespace;
}
