import { type Command, Option } from 'commander';
import type { ClusterFlags } from '../deploy/connect.ts';
import type { Context } from '../program/context.ts';
import type { RbacOptions } from '../rbac/compare-rbac.ts';

interface ImportFlags extends ClusterFlags {
  readonly as: 'kind' | 'definition';
  readonly version?: string;
  readonly out?: string;
}

/** Adds `test`, `render`, `rbac` and `import crd`. */
export function addTrial(program: Command, context: Context): void {
  program
    .command('test')
    .description("run the project's tests once")
    .argument('[ARGS...]', 'arguments of the test runner, behind --')
    .action(async (args: readonly string[]) => {
      context.exitWith(await (await import('../test/run-tests.ts')).runTests(context, args));
    });
  program
    .command('render')
    .description('print what one reconcile of an object would create, in a cluster that is gone afterwards')
    .argument('<FILE>', 'YAML of an object of one of your kinds, and of what it needs')
    .action(async (file: string) => (await import('../trial/render-object.ts')).renderObject(context, file));
  program
    .command('rbac')
    .description('run the operator on its samples; compare what its roles grant with what it used')
    .option('--fix', 'write what is missing into src/main.ts, as @rbac tags, and run again until nothing is')
    .option('--dry-run', 'with --fix: only show what would be written')
    .action(async (options: RbacOptions) => (await import('../rbac/compare-rbac.ts')).compareRbac(context, options));
  addImport(program, context);
}

function addImport(program: Command, context: Context): void {
  const imports = program.command('import').description("take over somebody else's kinds");
  imports
    .command('crd')
    .description('write TypeScript types of a CRD')
    .argument('<SOURCE>', 'a file, an https address, or the name of a kind of a cluster: certificates.cert-manager.io')
    .addOption(
      new Option('--as <FORM>', 'kind: for clients and controllers; definition: a kind of your own, generated again')
        .choices(['kind', 'definition'])
        .default('kind'),
    )
    .option('--version <VERSION>', 'version of the kind (otherwise the stored one)')
    .option('--out <FILE>', 'write this file (otherwise the output)')
    .option('--kubeconfig <FILE>', 'kubeconfig of the cluster')
    .option('--context <NAME>', 'context in the kubeconfig')
    .action(async (source: string, flags: ImportFlags) => {
      await (await import('../import-crd/import-crd.ts')).importCrdFrom(context, source, flags);
    });
}

export type { ImportFlags };
