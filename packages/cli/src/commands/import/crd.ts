import { type Command, Option } from 'commander';
import type { ImportCrdOptions } from '../../import-crd/import-crd.ts';
import type { Context } from '../../program/context.ts';

/** Adds `import crd SOURCE`, which writes the TypeScript types of a CRD. */
export function addImportCrd(imports: Command, context: Context): void {
  imports
    .command('crd')
    .description('generate TypeScript types from a CRD')
    .argument(
      '<SOURCE>',
      'a file, an https URL, or the name of a CRD in the cluster, such as certificates.cert-manager.io',
    )
    .addOption(
      new Option(
        '--as <FORM>',
        'kind: types for clients and controllers; definition: source code of a kind that you serve',
      )
        .choices(['kind', 'definition'])
        .default('kind'),
    )
    .option('--version <VERSION>', 'version of the kind (default: the storage version)')
    .option('--out <FILE>', 'output file (default: standard output)')
    .option('--kubeconfig <FILE>', 'kubeconfig of the cluster')
    .option('--context <NAME>', 'kubeconfig context')
    .action(async (source: string, options: ImportCrdOptions) => {
      await (await import('../../import-crd/import-crd.ts')).importCrdFrom(context, source, options);
    });
}
