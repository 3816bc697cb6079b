import type { FieldPath } from '@kubewright/apimachinery';
import type { Container, PodSpec } from '../generated/drafts.ts';

/** Returns the containers of a pod and their paths, in upstream's order. */
export function containersOf(
  spec: PodSpec,
  path: FieldPath,
): readonly { readonly container: Container; readonly path: FieldPath }[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, path: path.child(list).index(index) })),
  );
}
