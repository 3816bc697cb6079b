import type { Command } from 'commander';
import type { Context } from '../program/context.ts';

/** Adds `render FILE`, which prints what one reconcile of an object would create. */
export function addRender(program: Command, context: Context): void {
  program
    .command('render')
    .description('print what one reconcile of an object would create, in a cluster that is gone afterwards')
    .argument('<FILE>', 'YAML of an object of one of your kinds, and of what it needs')
    .action(async (file: string) => (await import('../trial/render-object.ts')).renderObject(context, file));
}
