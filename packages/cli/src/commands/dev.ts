import { type Command, InvalidArgumentError } from 'commander';
import type { DevOptions } from '../dev/dev.ts';
import type { Context } from '../program/context.ts';
import { isHost } from '../webhooks/webhook-address.ts';
import { driverOption, nodeCount, portNumber } from './options/embedded-cluster.ts';

/** Adds `dev`, which runs the operator in a cluster and restarts it on save. */
export function addDev(program: Command, context: Context): void {
  program
    .command('dev')
    .description('run the operator in an embedded cluster under its own account; restart it on save')
    .option('--ci', 'apply the samples, wait until they are ready, end')
    .option('--port <PORT>', 'port of the API server', portNumber)
    .option('--nodes <N>', 'nodes of the cluster', nodeCount)
    .addOption(driverOption())
    .option('--context <NAME>', 'develop in the cluster of this context of your kubeconfig')
    .option('--allow-context <NAME>', 'allow a context whose cluster is not on this machine')
    .option('--webhook-host <ADDR>', 'with --context: where its API server reaches this machine', hostName)
    .option('--no-webhooks', 'with --context: leave webhooks out')
    .option('--full-stacks', 'show all frames of stacks')
    .option('--no-type-check', 'do not check types beside')
    .action(async (options: DevOptions) => (await import('../dev/dev.ts')).dev(context, options));
}

function hostName(text: string): string {
  if (isHost(text)) return text;
  throw new InvalidArgumentError('It is an address or a name, without a port.');
}
