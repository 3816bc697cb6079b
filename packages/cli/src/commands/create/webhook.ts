import { type Command, Option } from 'commander';
import type { Context } from '../../program/context.ts';
import type { CreateWebhookOptions } from '../../scaffold/create-webhook.ts';

/** Adds `create webhook`, which adds webhooks of a kind to a project. */
export function addCreateWebhook(create: Command, context: Context): void {
  create
    .command('webhook')
    .description('add webhooks to a kind; existing files are not changed')
    .requiredOption('--group <GROUP>', 'API group, without the domain of the project')
    .requiredOption('--version <VERSION>', 'version of the kind; with --conversion, the hub version')
    .requiredOption('--kind <KIND>', 'name of the kind, such as Postgresql')
    .option('--defaulting', 'add a webhook that sets defaults')
    .option('--validation', 'add a webhook that validates objects')
    .addOption(new Option('--programmatic-validation', "kubebuilder's name for --validation").hideHelp())
    .option('--conversion', 'add a webhook that converts between versions')
    .option('-y, --yes', 'accepted for consistency: this command never prompts')
    .action(async (options: CreateWebhookOptions) => {
      await (await import('../../scaffold/create-webhook.ts')).createWebhook(context, options);
    });
}
