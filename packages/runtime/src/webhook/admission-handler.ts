import { applyJsonPatch, type JsonPatchOperation, StatusError } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { AdmissionContext } from './admission-context.ts';
import { type AdmissionRequest, type AdmissionResponse, errored } from './admission-review.ts';
import { readAdmissionReview, writeAdmissionReview } from './review-format.ts';
import type { AdmissionWebhook } from './webhook-definition.ts';
import { WebhookError } from './webhook-error.ts';
import type { WebhookCall, WebhookParts, WebhookReply } from './webhook-parts.ts';

/**
 * Responds to reviews on one path. Like controller-runtime (0.25), always returns HTTP status 200, with the verdict in
 * the body. Several webhooks run in order until a webhook denies; each sees the object as changed by the previous
 * webhooks.
 */
export function admissionHandler(
  webhooks: readonly AdmissionWebhook[],
  parts: WebhookParts,
): (call: WebhookCall) => Promise<WebhookReply> {
  const log = parts.log.named('admission');
  return async (call) => {
    const review = readAdmissionReview(call);
    if ('fault' in review) {
      log.error('bad request', { event: logEvents.webhookRequestInvalid, error: review.fault.message });
      return {
        status: 200,
        json: writeAdmissionReview(errored(review.fault.code, review.fault.message), undefined),
        verdict: 'error',
      };
    }
    const { request } = review;
    const requestLog = withRequest(log, webhooks, request);
    requestLog.debug('received request', { event: logEvents.webhookRequested });
    const requested = { request, log: requestLog, signal: call.signal };
    const response = await runWebhooks(webhooks, requested, parts);
    requestLog.debug('wrote response', {
      event: logEvents.webhookResponded,
      allowed: response.allowed,
      operation: request.operation,
      webhook: webhooks[0]?.type,
      ...brief(response),
    });
    return { status: 200, json: writeAdmissionReview(response, review), verdict: verdictOf(response) };
  };
}

interface RequestCall {
  readonly request: AdmissionRequest;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function runWebhooks(
  webhooks: readonly AdmissionWebhook[],
  requested: RequestCall,
  parts: WebhookParts,
): Promise<AdmissionResponse> {
  const warnings: string[] = [];
  const patch: JsonPatchOperation[] = [];
  const auditAnnotations: Record<string, string> = {};
  let { request } = requested;
  let last: AdmissionResponse = { allowed: true };
  try {
    for (const webhook of webhooks) {
      last = await webhook.handle(request, contextOf({ ...requested, request }, { parts, warnings }));
      warnings.push(...(last.warnings ?? []));
      Object.assign(auditAnnotations, last.auditAnnotations);
      if (!last.allowed) return { ...last, warnings };
      if (last.patch && last.patch.length > 0) {
        if (webhook.type === 'validating')
          throw new WebhookError({
            what: 'a validating webhook returned a patch, which only mutating webhooks can do',
          });
        patch.push(...last.patch);
        request = { ...request, object: applyJsonPatch(request.object, last.patch) };
      }
    }
  } catch (error) {
    return { ...failed(error, requested.log, parts), warnings };
  }
  return { ...last, warnings, patch, auditAnnotations };
}

/**
 * Passes on a deliberate denial by the function. Any other error is a bug in the operator and must not admit the
 * request.
 */
function failed(error: unknown, log: Logger, parts: WebhookParts): AdmissionResponse {
  if (error instanceof StatusError) return { allowed: false, result: error.status };
  parts.metrics?.panicked('admission');
  log.error('Observed a panic', { event: logEvents.webhookPanicked, error });
  const message = error instanceof Error ? error.message : String(error);
  return {
    ...errored(500, `panic: ${message} [recovered]`),
    result: { code: 500, reason: 'InternalError', message: `panic: ${message} [recovered]` },
  };
}

function contextOf(
  requested: RequestCall,
  { parts, warnings }: { readonly parts: WebhookParts; readonly warnings: string[] },
): AdmissionContext {
  const { request, log, signal } = requested;
  return {
    request,
    dryRun: request.dryRun ?? false,
    warn: (text) => void warnings.push(text),
    get client() {
      return given(parts.client, 'client');
    },
    get cache() {
      return given(parts.cache, 'cache');
    },
    log,
    signal,
  };
}

function given<T>(part: T | undefined, name: string): T {
  if (part !== undefined) return part;
  throw new WebhookError({
    what: `cannot use the ${name} of a webhook context`,
    why: `the webhook server has no ${name}, because it runs without a manager`,
    remedy: `pass "${name}" to the webhook server`,
  });
}

/** Uses the keys of controller-runtime's builder, or of its raw webhooks if the kind is unknown. */
function withRequest(log: Logger, webhooks: readonly AdmissionWebhook[], request: AdmissionRequest): Logger {
  const kind = webhooks[0]?.kind;
  const { namespace = '', name = '' } = request;
  return log.with({
    ...(kind && { webhookGroup: kind.group, webhookKind: kind.kind }),
    [kind?.kind ?? 'object']: { name, namespace },
    namespace,
    name,
    resource: request.resource,
    user: request.userInfo.username ?? '',
    requestID: request.uid,
  });
}

function verdictOf({ allowed, result }: AdmissionResponse): 'allowed' | 'denied' | 'error' {
  if (allowed) return 'allowed';
  return (result?.code ?? 403) >= 500 ? 'error' : 'denied';
}

/** Summarizes a response without values, because they may be secret. */
function brief(response: AdmissionResponse): Record<string, unknown> {
  const { code, reason, message } = response.result ?? {};
  const changed = (response.patch ?? []).filter(({ op }) => op !== 'test').map(({ path }) => placeOf(path));
  return {
    ...(changed.length > 0 && { changed: [...new Set(changed)] }),
    ...defined({ code }),
    ...(reason && { reason }),
    ...(message && { message }),
  };
}

/** `/spec/ports/0` → `.spec.ports[0]`. */
function placeOf(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) =>
      /^\d+$/.test(part) ? `[${part}]` : /^[\w-]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`,
    )
    .join('');
}
