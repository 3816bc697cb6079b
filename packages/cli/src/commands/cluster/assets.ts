import type { Command } from 'commander';
import type { Context } from '../../program/context.ts';

/** Adds `cluster assets`, which prints the folder of programs for Go's envtest. */
export function addClusterAssets(cluster: Command, context: Context): void {
  cluster
    .command('assets')
    .description(
      'print the path of a folder with the programs that envtest starts in Go tests: export KUBEBUILDER_ASSETS="$(kubewright cluster assets)"',
    )
    .action(async () => (await import('../../envtest/assets.ts')).assets(context));
}
