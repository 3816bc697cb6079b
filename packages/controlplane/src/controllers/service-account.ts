import { isAlreadyExists, isDeleting } from '@kubewright/apimachinery';
import { Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { controller, enqueueMapped, watch } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';

/** Ensures a service account named `default` in every namespace. */
export function serviceAccountController(): BuiltInController {
  return {
    account: 'service-account-controller',
    definition: controller({
      name: 'serviceaccount',
      for: Namespace,
      watches: [
        watch(
          ServiceAccount,
          enqueueMapped(({ name, namespace }) => (name === 'default' ? [{ name: namespace }] : [])),
        ),
      ],
      maxConcurrentReconciles: 5,
      // Its role cannot read namespaces, and the accounts are deleted with their namespace anyway.
      fenced: false,
      async reconcile(namespace, ctx) {
        const key = { namespace: namespace.metadata.name, name: 'default' };
        if (isDeleting(namespace) || ctx.cache.lister(ServiceAccount).view(key)) return;
        const account = ServiceAccount({ metadata: key });
        try {
          await ctx.client.resource(ServiceAccount).create(account, { signal: ctx.signal });
        } catch (error) {
          // Another client created it first, which is fine.
          if (!isAlreadyExists(error)) throw error;
        }
      },
    }),
  };
}
