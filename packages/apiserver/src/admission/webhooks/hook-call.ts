import { badRequest, type Clock, type Random } from '@kubewright/apimachinery';
import { reviewVersion } from '../../webhooks/review-version.ts';
import { WebhookCallError } from '../../webhooks/webhook-call-error.ts';
import type { WebhookClient } from '../../webhooks/webhook-client.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import {
  type AdmissionResponse,
  admissionRequest,
  admissionReview,
  InvalidResponseError,
  readAdmissionResponse,
} from './admission-review.ts';
import type { Version, VersionedObjects } from './reviewed-request.ts';
import type { WebhookSpec } from './webhook.ts';
import { annotateFailedOpen, annotateResponse } from './webhook-annotations.ts';
import { rejection, WebhookFailure } from './webhook-failure.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** Dependencies of {@link callHook}. */
export interface HookCallServices {
  readonly client: WebhookClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: WebhookMetrics;
}

/** A request for one webhook to review. */
export interface HookRequest {
  readonly hook: WebhookSpec;
  readonly attributes: AdmissionAttributes;
  readonly version: Version;
  readonly objects: VersionedObjects;
  readonly mutating: boolean;
  /** The name of the webhook's configuration. */
  readonly configuration: string;
  /** 0 in the first pass, 1 if the webhook is reinvoked in the second pass. */
  readonly round: 0 | 1;
  /** The webhook's index among all mutating webhooks, or among the validating webhooks called for this request. */
  readonly index: number;
}

/**
 * Calls a webhook to review a request.
 *
 * @throws WebhookRejection when it denies the request, WebhookFailure when the call fails, StatusError 400 when the
 * webhook does not support dry runs
 */
export async function callHook(question: HookRequest, services: HookCallServices): Promise<AdmissionResponse> {
  const { hook, attributes, version: shown, objects, mutating } = question;
  if (attributes.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  }
  const version = reviewVersion(hook.admissionReviewVersions);
  if (version === undefined) {
    const reason =
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new WebhookFailure(hook.name, reason, { httpStatus: 400 });
  }
  const uid = services.random.uid();
  const body = admissionReview(admissionRequest(attributes, shown), { uid, version, objects });
  try {
    const { clientConfig: config, timeoutSeconds } = hook;
    const reply = await services.client.post({ config, body, timeoutSeconds, signal: attributes.signal });
    const response = readAdmissionResponse(reply, { uid, version, mutating });
    annotateResponse(question, response.auditAnnotations);
    for (const text of response.warnings) attributes.warn(text);
    if (!response.allowed) throw rejection(hook.name, response.status);
    return response;
  } catch (cause) {
    if (!(cause instanceof WebhookCallError)) throw cause;
    const what = cause instanceof InvalidResponseError ? 'received invalid webhook response' : 'failed to call webhook';
    throw new WebhookFailure(hook.name, `${what}: ${cause.message}`, { httpStatus: cause.httpStatus, cause });
  }
}

/** Calls a webhook and records the outcome in metrics. Returns `undefined` for a failure that the policy ignores. */
export async function observed<T>(
  question: HookRequest,
  services: HookCallServices,
  call: () => Promise<T>,
): Promise<T | undefined> {
  const { clock, metrics } = services;
  const { hook, attributes, mutating } = question;
  const started = clock.monotonic();
  const ignores = hook.failurePolicy === 'Ignore';
  const labels = { name: hook.name, type: mutating ? 'admit' : 'validating', operation: attributes.operation };
  const note = (outcome: Parameters<WebhookMetrics['called']>[1]): void =>
    metrics.called(labels, { ...outcome, seconds: (clock.monotonic() - started) / 1000 });
  try {
    const result = await call();
    note({ code: 200, rejected: false });
    return result;
  } catch (error) {
    const failed = error instanceof WebhookFailure;
    const { httpStatus = 0 } = error as { readonly httpStatus?: number };
    note({ code: httpStatus, rejected: !(failed && ignores), error });
    if (!(failed && ignores)) throw error;
    metrics.failedOpen(labels);
    // Do not call further webhooks for a client that has disconnected.
    attributes.signal.throwIfAborted();
    annotateFailedOpen(question);
    return undefined;
  }
}
