import { type Command, Option } from 'commander';
import type { ImportCrdOptions } from '../../import-crd/import-crd.ts';
import type { Context } from '../../program/context.ts';

/** Adds `import crd SOURCE`, which writes the TypeScript types of a CRD. */
export function addImportCrd(imports: Command, context: Context): void {
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
    .action(async (source: string, options: ImportCrdOptions) => {
      await (await import('../../import-crd/import-crd.ts')).importCrdFrom(context, source, options);
    });
}
