import type { HookCallServices } from './hook-call.ts';
import type { HookMatcherOptions } from './hook-matcher.ts';
import type { WebhookSource } from './webhook-source.ts';

/** Options for the plugins that call webhooks. */
export interface WebhookPluginOptions extends HookCallServices, Omit<HookMatcherOptions, 'type' | 'metrics'> {
  readonly source: WebhookSource;
}
