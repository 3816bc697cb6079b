export { HttpsWebhookCaller } from './https-webhook-caller.ts';
export { type ResolveService, serviceResolver } from './service-resolver.ts';
export type { WebhookCaller, WebhookRequest, WebhookResponse } from './webhook-caller.ts';
export { WebhookClient, type WebhookClientConfig } from './webhook-client.ts';
