import { isConflict, isDeleting } from '@kubewright/apimachinery';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import { controller, type RequestContext } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { updateStatus } from '../object-writes.ts';
import { emptyNamespace } from './empty-namespace.ts';
import { namespaceConditions, type Remaining } from './namespace-conditions.ts';

/**
 * The delay before a namespace with remaining content is checked again, in milliseconds. Content remains because of finalizers or
 * grace periods.
 */
const recheckMs = 1_000;

/** Deletes the content of namespaces that are being deleted, starting with their pods, then finalizes the namespaces. */
export function namespaceController(): BuiltInController {
  return {
    account: 'namespace-controller',
    definition: controller({
      name: 'namespace',
      for: Namespace,
      maxConcurrentReconciles: 10,
      async reconcile(namespace, ctx) {
        const finalizers = namespace.spec?.finalizers ?? [];
        if (!isDeleting(namespace) || !finalizers.includes('kubernetes')) return undefined;
        const remaining = await emptyNamespace(namespace.metadata.name, ctx);
        if (remaining.resources.size > 0) {
          await report(namespace, remaining, ctx);
          return { requeueAfterMs: recheckMs };
        }
        await finalize(namespace, ctx);
        return undefined;
      },
    }),
  };
}

async function report(namespace: Namespace, remaining: Remaining, ctx: RequestContext): Promise<void> {
  const present = namespace.status?.conditions ?? [];
  const conditions = namespaceConditions(present, { remaining, nowMs: ctx.clock.now() });
  if (sameJson(present, conditions)) return;
  const object = { ...namespace, status: { ...namespace.status, conditions } };
  // If another client changed the namespace first, the next reconcile writes the conditions.
  await updateStatus(ctx, { kind: Namespace, object }).catch(ignoreConflict);
}

async function finalize(namespace: Namespace, ctx: RequestContext): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((name) => name !== 'kubernetes');
  const body = { ...namespace, spec: { ...namespace.spec, finalizers } };
  await ctx.client
    .resource(Namespace)
    .subresource<Namespace>('finalize')
    .update(body, { signal: ctx.signal })
    .catch(ignoreNotFound);
}

function ignoreConflict(error: unknown): void {
  if (!isConflict(error)) throw error;
}
