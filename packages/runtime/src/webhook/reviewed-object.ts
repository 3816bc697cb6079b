import {
  apiVersionOf,
  badRequest,
  deepFreeze,
  type Kind,
  type KubernetesObject,
  type UnstructuredObject,
} from '@kubewright/apimachinery';

/**
 * Takes an object out of a review, frozen.
 *
 * @throws StatusError (400) when it is not of the kind that the webhook is for: the configuration's rules are wrong.
 */
export function reviewedObject<T extends KubernetesObject>(kind: Kind<T>, raw: unknown): T {
  const found = asObject(raw);
  const wanted = apiVersionOf(kind);
  if (found === undefined) throw badRequest(`there is no ${kind.kind} (${wanted}) in the review`);
  if (found.apiVersion !== wanted || found.kind !== kind.kind)
    throw badRequest(
      `the webhook is for ${kind.kind} (${wanted}), the review is of ${found.kind} (${found.apiVersion}); correct its rules`,
    );
  return deepFreeze(found) as unknown as T; // of that kind: its fields are the API server's word, checked by its schema
}

/** True for what has a type and metadata, which every object in a review has. */
export function asObject(raw: unknown): UnstructuredObject | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const { apiVersion, kind, metadata } = raw as Readonly<Record<'apiVersion' | 'kind' | 'metadata', unknown>>;
  const typed = typeof apiVersion === 'string' && typeof kind === 'string';
  return typed && typeof metadata === 'object' && metadata !== null ? (raw as UnstructuredObject) : undefined;
}
