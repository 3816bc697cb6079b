import type { GroupVersionKind } from '@kubewright/apimachinery';

/** Returns a key for a kind in maps: `Pod.v1.`, `Deployment.v1.apps`. */
export function kindKey(kind: GroupVersionKind): string {
  return `${kind.kind}.${kind.version}.${kind.group}`;
}
