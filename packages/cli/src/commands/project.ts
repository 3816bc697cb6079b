import { type Command, Option } from 'commander';
import type { Context } from '../program/context.ts';
import type { CreateApiOptions } from '../project/create-api.ts';
import type { CreateWebhookOptions } from '../project/create-webhook.ts';
import type { InitOptions } from '../project/init-project.ts';

interface GenerateFlags {
  readonly check?: boolean;
  readonly allowBreaking?: boolean;
}

/** Adds `init`, `create …` and `generate`, the commands that write files into a project. */
export function addProject(program: Command, context: Context): void {
  program
    .command('init')
    .description('make a project; files that are there stay as they are')
    .argument('[DIR]', 'folder of the project', '.')
    .option('--domain <DOMAIN>', 'ending of the API groups: example.com')
    .option('--name <NAME>', 'name of the project (otherwise that of the folder)')
    .addOption(
      new Option('--template <NAME>', 'minimal: with a first kind; empty: without')
        .choices(['minimal', 'empty'])
        .default('minimal'),
    )
    .option('-y, --yes', 'ask nothing')
    .action(async (directory: string, options: InitOptions) => {
      await (await import('../project/init-project.ts')).init(context, { ...options, directory });
    });
  addCreate(program, context);
  program
    .command('generate')
    .description('write the manifests in config/ from the types in src/')
    .option('--check', 'write nothing; fail if they are not current')
    .option('--allow-breaking', 'write CRDs that break what was released')
    .action(async ({ check = false, allowBreaking = false }: GenerateFlags) => {
      const { requireProject } = await import('../project/find-project.ts');
      const { checkProject, generateProject } = await import('../project/generate-project.ts');
      const project = requireProject(context.surroundings.cwd);
      if (check) return checkProject(project, { ...context, allowBreaking });
      const files = await generateProject(project, { ...context, allowBreaking });
      return context.reporter.step('generated', `${files.length} files`);
    });
}

function addCreate(program: Command, context: Context): void {
  const create = program.command('create').description('add to a project');
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
      await (await import('../project/create-api.ts')).createApi(context, options);
    });
  create
    .command('webhook')
    .description('add webhooks of a kind; files that are there stay as they are')
    .requiredOption('--group <GROUP>', 'API group; the domain of the project is added')
    .requiredOption(
      '--version <VERSION>',
      'of the kind; with --conversion the one that others are converted to and from',
    )
    .requiredOption('--kind <KIND>', 'a kind of the project, such as Postgresql')
    .option('--defaulting', 'what completes objects before they are stored')
    .option('--validation', 'what says which objects may be stored')
    .addOption(new Option('--programmatic-validation', "kubebuilder's name for --validation").hideHelp())
    .option('--conversion', 'what converts between the versions of the kind')
    .option('-y, --yes', 'ask nothing (it never does)')
    .action(async (options: CreateWebhookOptions) => {
      await (await import('../project/create-webhook.ts')).createWebhook(context, options);
    });
}
