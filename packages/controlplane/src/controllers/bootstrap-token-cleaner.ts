import { Secret } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';
import { deleteObject } from './object-writes.ts';

/** Deletes bootstrap tokens, Secrets of type `bootstrap.kubernetes.io/token` in kube-system, when they expire (1.36). */
export function bootstrapTokenCleaner(): BuiltInController {
  return {
    account: 'token-cleaner',
    definition: controller({
      name: 'token-cleaner',
      for: Secret,
      cached: { namespaces: ['kube-system'], fieldSelector: 'type=bootstrap.kubernetes.io/token' },
      async reconcile(secret, ctx) {
        const restMs = msUntilExpiration(secret, ctx.clock.now());
        if (restMs === undefined) return undefined;
        if (restMs > 0) return { requeueAfterMs: restMs };
        await deleteObject(ctx, { kind: Secret, object: secret });
        return undefined;
      },
    }),
  };
}

/**
 * Returns the time until a token expires, in milliseconds, or undefined if it never expires. A time that cannot be parsed counts
 * as expired.
 */
export function msUntilExpiration({ data }: Secret, nowMs: number): number | undefined {
  const text = Buffer.from(data?.['expiration'] ?? '', 'base64').toString('utf8');
  if (text === '') return undefined;
  const atMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
