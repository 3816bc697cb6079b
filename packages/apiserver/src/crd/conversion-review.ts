import { checkReviewKind, shownType } from '../webhooks/review-kind.ts';
import { WebhookCallError } from '../webhooks/webhook-call-error.ts';
import type { WebhookReply } from '../webhooks/webhook-reply.ts';

const group = 'apiextensions.k8s.io';

/** Builds a request to convert objects to another version (`ConversionReview`). */
export function conversionReview(
  objects: readonly object[],
  {
    uid,
    version,
    desiredAPIVersion,
  }: { readonly uid: string; readonly version: string; readonly desiredAPIVersion: string },
): object {
  return {
    kind: 'ConversionReview',
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/**
 * Reads the converted objects from a webhook's response.
 *
 * @throws WebhookCallError with upstream's message (`getConvertedObjectsFromResponse`, 1.36)
 */
export function readConvertedObjects(
  reply: WebhookReply,
  sent: { readonly uid: string; readonly version: string },
): readonly unknown[] {
  checkReviewKind(reply, { group: group, version: sent.version, kind: 'ConversionReview' });
  const wanted = `${group}/v1, Kind=ConversionReview`;
  if (sent.version === 'v1' && shownType(reply) !== wanted) {
    throw new WebhookCallError(`expected webhook response of ${wanted}, got ${shownType(reply)}`);
  }
  const { response } = reply as { readonly response?: unknown };
  if (typeof response !== 'object' || response === null) throw new WebhookCallError('no response provided');
  const { uid = '', result, convertedObjects } = response as Readonly<Record<string, unknown>>;
  if (sent.version === 'v1' && uid !== sent.uid) {
    throw new WebhookCallError(`expected response.uid=${JSON.stringify(sent.uid)}, got ${JSON.stringify(uid)}`);
  }
  const { status = '', message = '' } = (result ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  if (status !== 'Success') {
    if (typeof message === 'string' && message !== '') throw new WebhookCallError(message);
    throw new WebhookCallError(`response.result.status was '${String(status)}', not 'Success'`);
  }
  return Array.isArray(convertedObjects) ? (convertedObjects as readonly unknown[]) : [];
}
