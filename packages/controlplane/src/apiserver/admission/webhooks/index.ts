export { MutatingWebhooks } from './mutating-webhooks.ts';
export { ValidatingWebhooks } from './validating-webhooks.ts';
export { WebhookMetrics } from './webhook-metrics.ts';
export { WebhookSource } from './webhook-source.ts';
