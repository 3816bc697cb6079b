import { isAlreadyExists, isDeleting } from '@kubewright/apimachinery';
import { Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { controller, enqueueMapped, watch } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';

/** Ensures that every namespace has a service account named `default`. */
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
      // The controller's role cannot get namespaces. An account is deleted with its namespace anyway.
      fenced: false,
      async reconcile(namespace, ctx) {
        const key = { namespace: namespace.metadata.name, name: 'default' };
        if (isDeleting(namespace) || ctx.cache.lister(ServiceAccount).view(key)) return;
        const account = ServiceAccount({ metadata: key });
        try {
          await ctx.client.resource(ServiceAccount).create(account, { signal: ctx.signal });
        } catch (error) {
          // Another client created the account first, which is fine.
          if (!isAlreadyExists(error)) throw error;
        }
      },
    }),
  };
}
