import { createMergePatch, type JsonPatchOperation, type KubernetesObject } from '@kubewright/apimachinery';

/**
 * A change to an object, in one of the three forms that the API supports besides server-side apply.
 *
 * @example
 * ```ts
 * async function patchPods(client: KubernetesClient, keys: readonly ObjectKey[], patch: Patch): Promise<void> {
 *   for (const key of keys) await client.resource(Pod).patch(key, patch);
 * }
 * const pause: Patch = { type: 'json', body: [{ op: 'add', path: '/spec/paused', value: true }] };
 * const relabel: Patch = { type: 'merge', body: { metadata: { labels: { tier: 'web', old: null } } } };
 * const upgrade: Patch = {
 *   type: 'strategic',
 *   body: { spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] } } } },
 * };
 * ```
 */
export type Patch = JsonPatch | MergePatch | StrategicMergePatch;

/** A list of operations on paths (RFC 6902); sent as `application/json-patch+json`. */
interface JsonPatch {
  readonly type: 'json';
  readonly body: readonly JsonPatchOperation[];
}

/** A partial object; `null` deletes, lists are replaced as a whole (RFC 7386); `application/merge-patch+json`. */
interface MergePatch {
  readonly type: 'merge';
  readonly body: object;
}

/**
 * A partial object whose lists are merged by their merge keys; built-in kinds only;
 * `application/strategic-merge-patch+json`.
 */
interface StrategicMergePatch {
  readonly type: 'strategic';
  readonly body: object;
}

/** Returns the media type of a patch. */
export function patchContentType(patch: Patch): string {
  switch (patch.type) {
    case 'json':
      return 'application/json-patch+json';
    case 'merge':
      return 'application/merge-patch+json';
    case 'strategic':
      return 'application/strategic-merge-patch+json';
  }
}

/**
 * Creates the merge patch from one version of an object to another.
 *
 * A merge patch replaces lists as a whole, so two writers of one list can overwrite each other's items. With `optimisticLock`, the
 * patch contains the version that was read, and the server rejects it with a conflict if the object has changed since.
 *
 * @example
 * const patch = mergePatchFrom(pod, { ...pod, metadata: { ...pod.metadata, labels } }, { optimisticLock: true });
 */
export function mergePatchFrom<T extends KubernetesObject>(
  base: T,
  changed: T,
  options: { readonly optimisticLock?: boolean } = {},
): Patch {
  const body = createMergePatch(base, changed) as { readonly metadata?: object };
  if (!options.optimisticLock) return { type: 'merge', body };
  const { resourceVersion } = base.metadata;
  return { type: 'merge', body: { ...body, metadata: { ...body.metadata, resourceVersion } } };
}
