import { type Command, Option } from 'commander';
import type { Context } from '../../program/context.ts';
import type { CreateApiOptions } from '../../scaffold/create-api.ts';

/** Adds `create api`, which adds a kind and its controller to a project, or a version of a kind. */
export function addCreateApi(create: Command, context: Context): void {
  create
    .command('api')
    .description('add a kind and its controller, or a version of a kind; files that are there stay as they are')
    .requiredOption('--group <GROUP>', 'API group; the domain of the project is added')
    .requiredOption('--version <VERSION>', 'such as v1')
    .requiredOption('--kind <KIND>', 'such as Postgresql')
    .option('--plural <PLURAL>', 'name in URLs (otherwise the English plural)')
    .addOption(new Option('--scope <SCOPE>', 'where objects live').choices(['Namespaced', 'Cluster']))
    // Accepts the defaults as flags too, because kubebuilder command lines state them.
    .option('--resource', 'write type and sample (the default)')
    .option('--no-resource', 'write no type and no sample')
    .option('--controller', "write a controller with its test (the default for a kind's first version)")
    .option('--no-controller', 'write no controller')
    .option('-y, --yes', 'ask nothing (it never does)')
    .action(async (options: CreateApiOptions) => {
      await (await import('../../scaffold/create-api.ts')).createApi(context, options);
    });
}
