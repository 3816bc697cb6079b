import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import { addCreateApi } from './create/api.ts';
import { addCreateWebhook } from './create/webhook.ts';

/** Adds `create …`, the commands that add to a project. */
export function addCreate(program: Command, context: Context): void {
  const create = program.command('create').description('add a kind or webhooks to a project');
  addCreateApi(create, context);
  addCreateWebhook(create, context);
}
