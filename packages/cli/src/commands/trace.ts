import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../program/context.ts';
import { parseTarget, type TraceOptions, type TraceTarget } from '../trace/target.ts';
import { addTargetCluster } from './options/target-cluster.ts';

/** Adds `trace KIND/NAME`, which prints how an object became running pods. */
export function addTrace(program: Command, context: Context): void {
  addTargetCluster(program.command('trace'))
    .description('print what each component did for a workload, from its creation to its running pods')
    .argument('<KIND/NAME>', 'the workload, such as deployment/web', (text: string) => {
      const target = parseTarget(text);
      if (typeof target === 'string') throw new InvalidArgumentError(target);
      return target;
    })
    .option('-n, --namespace <NAME>', 'namespace of the workload')
    .option('-f, --follow', 'print each change as it happens, until the workload is ready')
    .option('--steps', 'number the steps of the request, and explain them')
    .action(async (target: TraceTarget, options: TraceOptions) =>
      (await import('../trace/trace.ts')).trace(context, { ...options, target }),
    );
}
