import { ConfigError } from '@kubewright/client';
import { CertificateError } from '../certificates/certificate-error.ts';
import { FlagError, managerFlags, managerFlagsUsage } from '../flags/index.ts';
import { BindError } from '../health/bind-error.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';

/** Where a program's words go, and whence they come. */
export interface ProgramSurroundings {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs an operator as a program: reads the command line, runs a {@link Manager} until SIGINT or SIGTERM, and says in three
 * lines what kept it from starting. Answers the exit code; `main.ts` needs nothing else.
 *
 * What `options` say stands above the flags; `leaderElection` is what `--leader-elect` turns on.
 *
 * @example
 * ```ts
 * process.exitCode = await runOperator({ controllers: [postgresql] });
 * ```
 * @param surroundings - for tests. @defaultValue this process's
 * @returns 0 after a stop that was asked for, 1 when the operator could not start, 2 for a wrong command line.
 * @throws what ends the manager while it works, so that its stack is seen.
 */
export async function runOperator(options: ManagerOptions, surroundings?: ProgramSurroundings): Promise<number> {
  const { args, stdout, stderr } = surroundings ?? { ...standardStreams(), args: process.argv.slice(2) };
  if (args.includes('--help') || args.includes('-h')) {
    stdout.write(`${managerFlagsUsage()}\n`);
    return 0;
  }
  const { leaderElection, webhooks = [], ...rest } = options;
  try {
    const flags = managerFlags(args, { webhooks, ...(leaderElection && { leaderElection }) });
    const webhookServer = { ...flags.webhookServer, ...options.webhookServer };
    await new Manager({ ...flags, ...rest, webhooks, webhookServer }).run();
    return 0;
  } catch (error) {
    if (error instanceof FlagError) {
      stderr.write(`${error.message}\n`);
      return 2;
    }
    const remedy = remedyOf(error);
    if (remedy === undefined) throw error;
    stderr.write(`The operator cannot start\n  why: ${(error as Error).message}\n  do: ${remedy}\n`); // what has a remedy is one
    return 1;
  }
}

function standardStreams(): Pick<ProgramSurroundings, 'stdout' | 'stderr'> {
  return { stdout: process.stdout, stderr: process.stderr };
}

/** What to do about what is around the program; anything else is the program's own fault. */
function remedyOf(error: unknown): string | undefined {
  if (error instanceof ConfigError)
    return 'set KUBECONFIG to the kubeconfig of your cluster, or pass --kubeconfig FILE';
  if (error instanceof BindError)
    return 'end what holds the address, or pass another one (--health-probe-bind-address, --metrics-bind-address, --webhook-port)';
  if (error instanceof CertificateError)
    return 'kubewright dev serves webhooks on this machine; in a cluster pass --webhook-service or --webhook-cert-path; --webhook-port=-1 serves none';
  return undefined;
}
