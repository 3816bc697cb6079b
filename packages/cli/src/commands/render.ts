import type { Command } from 'commander';
import type { Context } from '../program/context.ts';

/** Adds `render FILE`, which prints what one reconcile of an object would create. */
export function addRender(program: Command, context: Context): void {
  program
    .command('render')
    .description('reconcile an object once in a temporary cluster, and print the resulting objects')
    .argument('<FILE>', 'YAML file with an object of one of your kinds and the objects it depends on')
    .action(async (file: string) => (await import('../sandbox/render-object.ts')).renderObject(context, file));
}
