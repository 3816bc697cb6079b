import type { Stored } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { ObjectView } from '@kubewright/runtime';

/** The annotation by which users influence which pods are deleted first. */
export const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * Reduces pods to the fields that their owner needs to count, claim and delete them: metadata, node, phase, readiness and
 * restarts. Each version of a pod is decoded once, so that a reconcile of an owner with thousands of pods decodes only the pods
 * that changed.
 */
export class PodDigests {
  readonly #digests = new WeakMap<ObjectView<Pod>, Stored<Pod>>();

  /** Returns the reduced pod. Never write it back to the server. */
  of(view: ObjectView<Pod>): Stored<Pod> {
    let digest = this.#digests.get(view);
    if (!digest) {
      digest = digestOf(view.object);
      this.#digests.set(view, digest);
    }
    return digest;
  }
}

function digestOf({ apiVersion, kind, metadata, spec, status }: Stored<Pod>): Stored<Pod> {
  const { annotations, managedFields: _managedFields, ...kept } = metadata;
  const cost = annotations?.[deletionCostAnnotation];
  const digest = {
    apiVersion,
    kind,
    metadata: { ...kept, annotations: cost === undefined ? {} : { [deletionCostAnnotation]: cost } },
    spec: defined({ nodeName: spec?.nodeName }),
    status: defined({
      phase: status?.phase,
      conditions: status?.conditions?.filter(({ type }) => type === 'Ready'),
      containerStatuses: status?.containerStatuses?.map(({ restartCount }) => ({ restartCount })),
      initContainerStatuses: status?.initContainerStatuses?.map(({ restartCount }) => ({ restartCount })),
    }),
  };
  // The type requires fields that a digest lacks. They matter only for writes, and a digest is never written.
  return digest as unknown as Stored<Pod>;
}
