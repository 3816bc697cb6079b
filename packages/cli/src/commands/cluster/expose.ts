import { type Command, InvalidArgumentError } from 'commander';
import type { ExposeOptions } from '../../cluster/expose.ts';
import type { Context } from '../../program/context.ts';
import { nameOption, portNumber } from '../options/embedded-cluster.ts';

/** Adds `cluster expose`, which makes a Service reachable on a port on this machine. */
export function addClusterExpose(cluster: Command, context: Context): void {
  cluster
    .command('expose')
    .description('forward a port on this machine to the ready pods of a Service; Ctrl-C stops it')
    .argument('<SERVICE>', 'the Service, such as svc/web', (text: string) => {
      const name = /^(?:(?:svc|services?)\/)?([a-z][a-z0-9-]*)$/.exec(text)?.[1];
      if (name !== undefined) return name;
      throw new InvalidArgumentError('It must be the name of a Service, such as svc/web.');
    })
    .addOption(nameOption())
    .option('-n, --namespace <NAMESPACE>', 'namespace of the Service (default: default)')
    .option('--port <PORT>', 'port on this machine (default: a free port)', portNumber)
    .option('--service-port <PORT>', 'number or name of the port of the Service (default: its only TCP port)')
    .action(async (service: string, options: ExposeOptions) =>
      (await import('../../cluster/expose.ts')).expose(context, { ...options, service }),
    );
}
