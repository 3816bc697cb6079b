import { defined } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import { fieldsOf, readReviewBody } from './review-format.ts';
import type { AuthenticationWebhook, TokenReviewRequest, TokenReviewResult } from './webhook-definition.ts';
import type { WebhookCall, WebhookParts, WebhookReply } from './webhook-parts.ts';

interface Review {
  readonly apiVersion: string;
  readonly uid: unknown;
  readonly request: TokenReviewRequest;
}

const versions = ['authentication.k8s.io/v1', 'authentication.k8s.io/v1beta1'];

/** Responds to TokenReviews on one path. Like controller-runtime (0.25), always returns HTTP status 200. */
export function authenticationHandler(
  webhook: AuthenticationWebhook,
  parts: WebhookParts,
): (call: WebhookCall) => Promise<WebhookReply> {
  const log = parts.log.named('authentication');
  return async (call) => {
    const review = read(call);
    if (typeof review === 'string') {
      log.error('bad request', { event: logEvents.webhookRequestInvalid, error: review });
      return { status: 200, json: writeTokenReview({ error: review }, undefined) };
    }
    let verdict: TokenReviewResult;
    try {
      verdict = await webhook.authenticate(review.request, { log, signal: call.signal });
    } catch (error) {
      parts.metrics?.panicked('admission');
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error('Observed a panic', {
        event: logEvents.webhookPanicked,
        error: text.replaceAll(review.request.token, '<token>'),
      });
      verdict = { error: 'the webhook failed' };
    }
    return { status: 200, json: writeTokenReview(verdict, review) };
  };
}

/** Builds the response in the version of the request. Does not repeat the token. */
export function writeTokenReview(
  { user, audiences, error }: TokenReviewResult,
  review: Pick<Review, 'apiVersion' | 'uid'> | undefined,
): unknown {
  return {
    kind: 'TokenReview',
    apiVersion: review?.apiVersion ?? 'authentication.k8s.io/v1',
    metadata: { ...(typeof review?.uid === 'string' && { uid: review.uid }) },
    spec: {},
    status: {
      authenticated: user !== undefined && error === undefined,
      ...(user !== undefined && error === undefined && { user, ...defined({ audiences }) }),
      ...defined({ error }),
    },
  };
}

function read(call: WebhookCall): Review | string {
  const fields = readReviewBody(call);
  if (typeof fields === 'string') return fields;
  const { apiVersion, kind, metadata, spec } = fields;
  if (kind !== 'TokenReview' || typeof apiVersion !== 'string' || !versions.includes(apiVersion))
    return `expected a TokenReview of ${versions.join(' or ')}`;
  const { token, audiences } = fieldsOf(spec);
  if (typeof token !== 'string' || token === '') return 'token is empty';
  const { uid } = fieldsOf(metadata);
  const wanted = Array.isArray(audiences) ? audiences.filter((each) => typeof each === 'string') : [];
  return { apiVersion, uid, request: { token, audiences: wanted } };
}
