import { admissionHandler } from './admission-handler.ts';
import { errored } from './admission-review.ts';
import { authenticationHandler, writeTokenReview } from './authentication-handler.ts';
import { conversionHandler } from './conversion-handler.ts';
import { writeAdmissionReview } from './review-format.ts';
import type {
  AdmissionWebhook,
  AuthenticationWebhook,
  ConversionWebhook,
  WebhookDefinition,
} from './webhook-definition.ts';
import { WebhookError } from './webhook-error.ts';
import type { WebhookCall, WebhookParts, WebhookReply } from './webhook-parts.ts';

/** Maximum size of an admission review, in bytes: two objects of 3 MiB plus the other fields, as in controller-runtime. */
const maxAdmissionBytes = 7 * 1024 * 1024;
/** Maximum size of a token review, as in controller-runtime. */
const maxAuthenticationBytes = 1024 * 1024;
/** Maximum size of a conversion review, which may carry a whole list. */
const maxConversionBytes = 128 * 1024 * 1024;

const tooLargeMessage = `request entity is too large; limit is ${maxAdmissionBytes} bytes`;

/** A path that is served. */
export interface WebhookRoute {
  readonly path: string;
  readonly maxBytes: number;
  /** The response to a body that exceeds the limit. */
  readonly tooLarge: WebhookReply;
  /** Responds to a request; never rejects because of user functions. */
  readonly reply: (call: WebhookCall) => Promise<WebhookReply>;
}

const pathPattern = /^((\/[a-zA-Z0-9-_]+)+|\/)$/;

/**
 * Creates the routes of declared webhooks, without opening a socket.
 * @throws WebhookError (KW3031) for a malformed path, for validating and mutating webhooks on one path, and for two converters of
 * one kind.
 */
export function webhookRoutes(
  webhooks: readonly WebhookDefinition[],
  parts: WebhookParts,
): ReadonlyMap<string, WebhookRoute> {
  const byPath = new Map<string, AdmissionWebhook[]>();
  const converters: ConversionWebhook[] = [];
  const authentication: AuthenticationWebhook[] = [];
  for (const webhook of webhooks) {
    if (webhook.type === 'conversion') converters.push(webhook);
    else if (webhook.type === 'authentication') authentication.push(webhook);
    else addTo(byPath, webhook);
  }
  const routes = new Map<string, WebhookRoute>();
  for (const [path, group] of byPath) {
    const tooLarge = { status: 200, json: writeAdmissionReview(errored(413, tooLargeMessage), undefined) };
    routes.set(path, { path, maxBytes: maxAdmissionBytes, tooLarge, reply: admissionHandler(group, parts) });
  }
  for (const webhook of authentication) {
    const path = checkedPath(webhook.path);
    if (routes.has(path))
      throw new WebhookError({ what: `cannot serve two webhooks at ${path}`, remedy: 'give one of them another path' });
    const tooLarge = { status: 200, json: writeTokenReview({ error: 'request entity is too large' }, undefined) };
    const reply = authenticationHandler(webhook, parts);
    routes.set(path, { path, maxBytes: maxAuthenticationBytes, tooLarge, reply });
  }
  if (converters.length > 0) {
    if (routes.has('/convert'))
      throw new WebhookError({
        what: 'cannot serve a webhook at "/convert"',
        why: 'the path is reserved for conversions',
        remedy: 'choose another path',
      });
    checkConverters(converters);
    const reply = conversionHandler(converters, parts);
    const tooLarge = { status: 413, json: {} };
    routes.set('/convert', { path: '/convert', maxBytes: maxConversionBytes, tooLarge, reply });
  }
  return routes;
}

function addTo(byPath: Map<string, AdmissionWebhook[]>, webhook: AdmissionWebhook): void {
  const { path, type } = webhook;
  const group = byPath.get(checkedPath(path));
  if (!group) byPath.set(path, [webhook]);
  else if (group[0]?.type === type) group.push(webhook);
  else
    throw new WebhookError({
      what: `cannot serve a mutating and a validating webhook at ${path}`,
      remedy: 'give one of them another path',
    });
}

function checkedPath(path: string): string {
  if (pathPattern.test(path)) return path;
  throw new WebhookError({ what: `invalid webhook path ${JSON.stringify(path)}`, why: 'must be like "/check-pods"' });
}

function checkConverters(converters: readonly ConversionWebhook[]): void {
  const seen = new Set<string>();
  for (const { kind, group } of converters) {
    const name = `${kind}.${group}`;
    if (seen.has(name))
      throw new WebhookError({
        what: `cannot serve two converters for ${name}`,
        remedy: 'declare all versions in one converter',
      });
    seen.add(name);
  }
}
