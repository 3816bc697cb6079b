import { type Command, InvalidArgumentError, Option } from 'commander';
import type { UpOptions } from '../cluster/up.ts';
import type { Context } from '../program/context.ts';

/** Adds `cluster …`, the commands for the embedded cluster of a folder. Each folder has its own cluster. */
export function addCluster(program: Command, context: Context): void {
  const cluster = program.command('cluster').description('the embedded cluster of this folder');
  addUp(cluster, context);
  cluster
    .command('down')
    .description('stop the cluster of this folder')
    .action(async () => (await import('../cluster/down.ts')).down(context));
  cluster
    .command('status')
    .description('say what runs in this folder')
    .action(async () => (await import('../cluster/status.ts')).status(context));
  cluster
    .command('kubeconfig')
    .description('print the path of the kubeconfig: export KUBECONFIG="$(kubewright cluster kubeconfig)"')
    .option('--raw', 'print the kubeconfig itself')
    .action(async (options: { readonly raw?: boolean }) => {
      (await import('../cluster/status.ts')).kubeconfig(context, options);
    });
  cluster
    .command('reset')
    .description('stop the cluster of this folder and remove its state: certificates, port, logs')
    .action(async () => (await import('../cluster/down.ts')).reset(context));
}

function addUp(cluster: Command, context: Context): void {
  cluster
    .command('up')
    .description('start the embedded cluster of this folder; Ctrl-C stops it')
    .option('--background', 'come back once it runs; kubewright cluster down stops it')
    .option('--port <PORT>', 'port of the API server (otherwise a free one, kept from start to start)', portNumber)
    .option('--nodes <N>', 'how many nodes', nodeCount)
    .addOption(driverOption())
    .option('--kubeconfig <FILE>', 'write the kubeconfig to this file, too')
    .option('--allow-root-pods', 'let pods run as uid 0')
    .option('--allow-host-programs', 'let images be programs of this machine by their absolute paths')
    .action(async (options: UpOptions) => (await import('../cluster/up.ts')).up(context, options));
}

/** Parses a port number. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw new InvalidArgumentError('It is a number from 0 to 65535.');
}

/** Parses the number of nodes. */
export function nodeCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= 100) return count;
  throw new InvalidArgumentError('It is a number from 1 to 100.');
}

/** Returns the option that selects how containers run. */
export function driverOption(): Option {
  return new Option('--driver <NAME>', 'process: containers are local processes; simulated: nothing runs').choices([
    'process',
    'simulated',
  ]);
}
