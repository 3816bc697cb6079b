import { type Command, Option } from 'commander';
import type { Context } from '../../program/context.ts';
import type { CreateApiOptions } from '../../scaffold/create-api.ts';

/** Adds `create api`, which adds a kind and its controller to a project, or a version of a kind. */
export function addCreateApi(create: Command, context: Context): void {
  create
    .command('api')
    .description('add a kind with its controller, or a version of a kind; existing files are not changed')
    .requiredOption('--group <GROUP>', 'API group, without the domain of the project')
    .requiredOption('--version <VERSION>', 'version of the kind, such as v1')
    .requiredOption('--kind <KIND>', 'name of the kind, such as Postgresql')
    .option('--plural <PLURAL>', 'plural name in URLs (default: the English plural)')
    .addOption(new Option('--scope <SCOPE>', 'scope of the objects').choices(['Namespaced', 'Cluster']))
    // Accepts the defaults as flags too, because kubebuilder command lines state them.
    .option('--resource', 'write the type and a sample (default)')
    .option('--no-resource', 'do not write the type and the sample')
    .option('--controller', 'write a controller with a test (default for the first version of a kind with a CRD)')
    .option('--no-controller', 'do not write a controller')
    .option('--aggregated', 'serve the kind from an API server in the project instead of a CRD')
    .option('-y, --yes', 'accepted for consistency: this command never prompts')
    .action(async (options: CreateApiOptions) => {
      await (await import('../../scaffold/create-api.ts')).createApi(context, options);
    });
}
