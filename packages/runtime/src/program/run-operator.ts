import { type KubewrightError, systemClock } from '@kubewright/apimachinery';
import { ConfigError } from '@kubewright/client';
import { CertificateError } from '../certificates/certificate-error.ts';
import { FlagError, managerFlags, managerFlagsUsage } from '../flags/index.ts';
import { BindError } from '../health/bind-error.ts';
import { defaultLogger } from '../log/default-logger.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import { startTracing } from '../tracing/open-telemetry.ts';

/** The command line, environment and output streams of a program. */
export interface OperatorEnvironment {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  /** @defaultValue the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs an operator as a program: parses the command line, runs a {@link Manager} until SIGINT or SIGTERM, and explains
 * in three lines why the manager could not start. Returns the exit code; `main.ts` needs no other code.
 *
 * `options` take precedence over flags; `leaderElection` is enabled by `--leader-elect`. Spans are sent to
 * `OTEL_EXPORTER_OTLP_ENDPOINT` if `@opentelemetry/sdk-node` is installed; a `tracer` in `options` takes precedence
 * over this exporter.
 * @example
 * ```ts
 * process.exitCode = await runOperator({ controllers: [postgresql] });
 * ```
 * @param surroundings - the arguments, environment and output streams, for tests. @defaultValue the arguments,
 * environment and streams of this process
 * @returns 0 after a requested stop, 1 if the operator could not start, 2 for an invalid command line.
 * @throws any error that ends the manager while it is running, so that its stack is shown.
 */
export async function runOperator(options: ManagerOptions, surroundings?: OperatorEnvironment): Promise<number> {
  const { args, stdout, stderr, env = process.env } = surroundings ?? programSurroundings();
  if (args.includes('--help') || args.includes('-h')) {
    stdout.write(`${managerFlagsUsage()}\n`);
    return 0;
  }
  const { leaderElection, webhooks = [], ...rest } = options;
  try {
    const flags = managerFlags(args, { webhooks, leaderElection });
    const webhookServer = { ...flags.webhookServer, ...options.webhookServer };
    const log = rest.log ?? flags.log ?? defaultLogger({ clock: rest.clock ?? systemClock });
    await using tracing = rest.tracer
      ? undefined
      : await startTracing({ env, log, name: leaderElection?.id ?? 'operator' });
    await new Manager({
      ...flags,
      ...(tracing && { tracer: tracing.tracer }),
      ...rest,
      log,
      webhooks,
      webhookServer,
    }).run();
    return 0;
  } catch (error) {
    if (error instanceof FlagError) {
      stderr.write(`${error.message}\n`);
      return 2;
    }
    const remedy = remedyOf(error);
    if (remedy === undefined) throw error;
    const { code, what, why } = error as KubewrightError; // The cast is safe: only these errors have a remedy.
    stderr.write(`${code} ${what}\n${why === undefined ? '' : `  why: ${why}\n`}  fix: ${remedy}\n`);
    return 1;
  }
}

function programSurroundings(): OperatorEnvironment {
  return { args: process.argv.slice(2), stdout: process.stdout, stderr: process.stderr };
}

/** Returns the remedy for a problem in the program's environment; undefined for any other error, which is a bug in the program. */
function remedyOf(error: unknown): string | undefined {
  if (error instanceof ConfigError)
    return 'set KUBECONFIG to the kubeconfig of your cluster, pass --kubeconfig FILE, or start a cluster: npx kubewright cluster up';
  if (error instanceof BindError)
    return 'stop the process that uses the address, or pass another one (--health-probe-bind-address, --metrics-bind-address, --webhook-port)';
  if (error instanceof CertificateError)
    return 'run the operator with kubewright dev, or in a cluster pass --webhook-service or --webhook-cert-path; --webhook-port=-1 disables webhooks';
  return undefined;
}
