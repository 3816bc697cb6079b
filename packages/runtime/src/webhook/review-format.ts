import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import type { AdmissionRequest, AdmissionResponse } from './admission-review.ts';
import type { WebhookCall } from './webhook-parts.ts';

/** A parsed review of either version. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

/** The reason why a body is not a review. */
export interface ReviewFault {
  readonly fault: { readonly code: number; readonly message: string };
}

const versions = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];

/** Parses an `AdmissionReview` of v1 or v1beta1, which differ only in name. */
export function readAdmissionReview(call: WebhookCall): AdmissionReview | ReviewFault {
  const fields = readReviewBody(call);
  if (typeof fields === 'string') return fault(fields);
  const { apiVersion, kind, request } = fields;
  if (kind !== 'AdmissionReview' || typeof apiVersion !== 'string' || !versions.includes(apiVersion))
    return fault(
      `expected an AdmissionReview of ${versions.join(' or ')}, got ${String(kind)} (${String(apiVersion)})`,
    );
  return isRequest(request) ? { apiVersion, request } : fault('the AdmissionReview contains no complete request');
}

/** Parses a body as JSON, or returns the reason why the body cannot be parsed. */
export function readReviewBody(call: WebhookCall): ReturnType<typeof fieldsOf> | string {
  if (call.body.length === 0) return 'request body is empty';
  const contentType = call.contentType ?? '';
  if (!isJson(contentType)) return `contentType=${contentType}, expected application/json`;
  try {
    return fieldsOf(parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(call.body)));
  } catch (error) {
    return `cannot decode the request: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Builds the response in the version of the request. `result` and `patch` take the shape of the wire format. */
export function writeAdmissionReview(response: AdmissionResponse, review: AdmissionReview | undefined): unknown {
  const { allowed, result, patch = [], warnings = [], auditAnnotations = {} } = response;
  return {
    kind: 'AdmissionReview',
    apiVersion: review?.apiVersion ?? 'admission.k8s.io/v1',
    response: {
      uid: review?.request.uid ?? '',
      allowed,
      status: { metadata: {}, code: allowed ? 200 : 403, ...result },
      ...(patch.length > 0 && {
        patchType: 'JSONPatch',
        patch: Buffer.from(stringifyJson(patch), 'utf8').toString('base64'),
      }),
      ...(warnings.length > 0 && { warnings }),
      ...(Object.keys(auditAnnotations).length > 0 && { auditAnnotations }),
    },
  };
}

/** Parameters such as `charset` do not change the type. */
function isJson(contentType: string): boolean {
  return contentType.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** Returns the fields of an object, and no fields for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> & ReviewFields {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Fields of both kinds of reviews; their types are unknown until checked. */
interface ReviewFields {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: unknown;
  readonly spec?: unknown;
  readonly request?: unknown;
  readonly token?: unknown;
  readonly audiences?: unknown;
  readonly uid?: unknown;
}

function isRequest(value: unknown): value is AdmissionRequest {
  const request = fieldsOf(value) as Partial<Record<keyof AdmissionRequest, unknown>>;
  return (
    typeof request.uid === 'string' &&
    typeof request.operation === 'string' &&
    typeof request.kind === 'object' &&
    request.kind !== null &&
    typeof request.resource === 'object' &&
    request.resource !== null &&
    typeof request.userInfo === 'object' &&
    request.userInfo !== null
  );
}

function fault(message: string): ReviewFault {
  return { fault: { code: 400, message } };
}
