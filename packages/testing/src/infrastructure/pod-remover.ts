import { isConflict, isDeleting, isNotFound } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import { fakeNode } from './fake-node.ts';

/** Returns a controller that removes the node's pods once they are being deleted, like a kubelet whose containers have ended. */
export function podRemover(): ReturnType<typeof controller> {
  return controller({
    for: Pod,
    name: 'fake-infrastructure',
    reconcile: async (pod, ctx) => {
      if (!isDeleting(pod) || pod.spec?.nodeName !== fakeNode.name) return;
      const { uid, namespace, name } = pod.metadata;
      try {
        await ctx.client.resource(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error; // already removed
      }
    },
  });
}
