import { type Command, InvalidArgumentError } from 'commander';
import type { DevOptions } from '../dev/dev.ts';
import type { Context } from '../program/context.ts';
import { isHost } from '../webhooks/webhook-address.ts';
import { driverOption, nodeCount, portNumber } from './options/embedded-cluster.ts';

/** Adds `dev`, which runs the operator in a cluster and restarts it on save. */
export function addDev(program: Command, context: Context): void {
  program
    .command('dev')
    .description('run the operator in an embedded cluster under its own service account, and restart it on save')
    .option('--ci', 'apply the samples, wait until they are ready and the types are checked, then exit')
    .option(
      '--run <COMMAND>',
      'once the operator runs, run this shell command with KUBECONFIG set, then stop and exit with the exit code of the command',
    )
    .option('--port <PORT>', 'port of the API server', portNumber)
    .option('--nodes <N>', 'number of nodes', nodeCount)
    .addOption(driverOption())
    .option('--context <NAME>', 'use the cluster of this kubeconfig context instead of an embedded one')
    .option('--allow-context <NAME>', 'allow this context even though its cluster is not local')
    .option(
      '--webhook-host <ADDR>',
      'with --context: host name or address at which the API server reaches this machine',
      hostName,
    )
    .option('--no-webhooks', 'with --context: do not install webhooks')
    .option('--full-stacks', 'show complete stack traces')
    .option('--no-type-check', 'do not check types')
    .action(async (options: DevOptions) => (await import('../dev/dev.ts')).dev(context, options));
}

function hostName(text: string): string {
  if (isHost(text)) return text;
  throw new InvalidArgumentError('It must be a host name or an address, without a port.');
}
