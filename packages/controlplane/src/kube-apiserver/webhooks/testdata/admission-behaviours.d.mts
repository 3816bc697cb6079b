import type { WebhookBehaviours } from './webhook-server.mjs';

export declare const behaviours: WebhookBehaviours;
