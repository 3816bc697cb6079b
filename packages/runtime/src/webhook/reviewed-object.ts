import {
  apiVersionOf,
  badRequest,
  type Kind,
  type KubernetesObject,
  type UnstructuredObject,
} from '@kubewright/apimachinery';
import { deepFreeze } from '@kubewright/apimachinery/internal';

/**
 * Returns the object in a review, frozen.
 * @throws StatusError (400) if the object is not of the webhook's kind: the rules in the configuration are wrong.
 */
export function reviewedObject<T extends KubernetesObject>(kind: Kind<T>, raw: unknown): T {
  const found = asObject(raw);
  const wanted = apiVersionOf(kind);
  if (found === undefined) throw badRequest(`the AdmissionReview contains no ${kind.kind} (${wanted})`);
  if (found.apiVersion !== wanted || found.kind !== kind.kind)
    throw badRequest(
      `the webhook is for ${kind.kind} (${wanted}), but the review contains ${found.kind} (${found.apiVersion}); fix the rules of the webhook configuration`,
    );
  return deepFreeze(found) as unknown as T; // The cast is safe: the API server has checked the fields against the kind's schema.
}

/** Returns the value if it has a type and metadata, as every object in a review does; otherwise undefined. */
export function asObject(raw: unknown): UnstructuredObject | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const { apiVersion, kind, metadata } = raw as Readonly<Record<'apiVersion' | 'kind' | 'metadata', unknown>>;
  const typed = typeof apiVersion === 'string' && typeof kind === 'string';
  return typed && typeof metadata === 'object' && metadata !== null ? (raw as UnstructuredObject) : undefined;
}
