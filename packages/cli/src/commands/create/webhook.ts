import { type Command, Option } from 'commander';
import type { Context } from '../../program/context.ts';
import type { CreateWebhookOptions } from '../../scaffold/create-webhook.ts';

/** Adds `create webhook`, which adds webhooks of a kind to a project. */
export function addCreateWebhook(create: Command, context: Context): void {
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
      await (await import('../../scaffold/create-webhook.ts')).createWebhook(context, options);
    });
}
