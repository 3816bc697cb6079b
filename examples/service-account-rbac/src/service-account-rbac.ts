import { objectKey } from '@kubewright/apimachinery';
import { Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import {
  type ControllerDefinition,
  controller,
  enqueueMapped,
  type ObjectView,
  objectMatches,
  type ReconcileRequest,
  watch,
} from '@kubewright/runtime';
import { type Access, accessFor, isDeveloper, sharedNamespace } from './access.ts';

const operatorNamespace = 'default';
const finalizer = 'service-account-rbac.example.com/access';
const managed = 'app.kubernetes.io/managed-by=service-account-rbac';

/**
 * Returns a controller that gives each service account `*-dev` in the namespace `default` access to `namespace-dev`,
 * and removes the access with the account.
 */
export function serviceAccountRbac({ access }: { readonly access: Access }): ControllerDefinition {
  /** @rbac groups=rbac.authorization.k8s.io resources=roles verbs=escalate;bind */
  return controller({
    name: 'service-account-rbac',
    for: ServiceAccount,
    cached: { namespaces: [operatorNamespace] },
    predicates: [objectMatches(({ name }) => isDeveloper(name))],
    // Restores objects that were changed or deleted manually.
    watches: [
      watch(Role, enqueueMapped(accountOf), { labelSelector: managed, namespaces: [sharedNamespace] }),
      watch(RoleBinding, enqueueMapped(accountOf), { labelSelector: managed, namespaces: [sharedNamespace] }),
    ],
    finalizers: {
      async [finalizer](account, ctx) {
        ctx.log.info(`Event deleted, name: ${account.metadata.name} in namespace: ${operatorNamespace}`);
        for (const object of accessFor(account, access)) {
          await ctx.delete(object);
          ctx.log.info(`${titleOf(object)}, deleted from namespace: ${sharedNamespace}`);
        }
      },
    },
    async reconcile(account, ctx) {
      const namespace = await ctx.get(Namespace, { name: sharedNamespace });
      if (!namespace) {
        const note = `create the namespace ${sharedNamespace}`;
        ctx.events.record({ type: 'Warning', reason: 'NamespaceMissing', note });
        return { requeueAfterMs: 2_000 };
      }
      const [role, binding] = accessFor(account, access);
      const missing = [
        ...((await ctx.get(Role, objectKey(role))) ? [] : [role]),
        ...((await ctx.get(RoleBinding, objectKey(binding))) ? [] : [binding]),
      ];
      const isNew = missing.length === 2;
      const secrets = (account.secrets ?? []).map(({ name }) => name).join(' ');
      if (isNew) ctx.log.info(`Event added, name: ${account.metadata.name}, secrets: [${secrets}]`);
      await ctx.apply([role, binding], { ownership: 'none' });
      for (const object of missing) ctx.log.info(`${titleOf(object)}, created in namespace: ${sharedNamespace}`);
      if (isNew) ctx.log.info(`Service account added to ${operatorNamespace} namespace.`);
      return undefined;
    },
  });
}

/** Names an object for the log, in the format of article 003: `Role: test-dev-r`. */
function titleOf({ kind, metadata }: Role | RoleBinding): string {
  return `${kind === 'Role' ? 'Role' : 'Role binding'}: ${metadata.name}`;
}

/** Returns the service account that a role or a binding belongs to. */
function accountOf({ name }: ObjectView<Role | RoleBinding>): readonly ReconcileRequest[] {
  return [{ namespace: operatorNamespace, name: name.replace(/-rb?$/, '') }];
}
