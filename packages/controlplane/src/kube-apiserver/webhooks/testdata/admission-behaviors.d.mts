import type { WebhookBehaviors } from './webhook-server.mjs';

export declare const behaviors: WebhookBehaviors;
