import type { Step } from '../../testdata/plane-under-test.ts';
import type { WebhookServer } from './webhook-server.mjs';

/** Replaces `{url}`, `{localhost}`, `{port}`, `{ca}` and `{otherCa}` in a script. */
export declare function fillSteps(
  steps: readonly Step[],
  values: { readonly server: WebhookServer; readonly ca: string; readonly otherCa: string },
): Step[];

/** Replaces the server's address in a response with `{url}`, `{localhost}` and `{port}`. */
export declare function withoutAddress(text: string, server: WebhookServer): string;
