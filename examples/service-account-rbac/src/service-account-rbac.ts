import { objectKey } from '@kubewright/apimachinery';
import { Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import {
  controller,
  enqueueMapped,
  type ObjectView,
  objectMatches,
  type ReconcileRequest,
  watch,
} from '@kubewright/runtime';
import { accessFor, isDeveloper, sharedNamespace } from './access.ts';

const operatorNamespace = 'default';
const finalizer = 'service-account-rbac.example.com/access';
/** Set by `ACCESS=list-only`. */
const access = process.env['ACCESS'] === 'list-only' ? 'list-only' : 'full';
const managed = 'app.kubernetes.io/managed-by=service-account-rbac';

/**
 * Gives each service account `*-dev` in the namespace `default` access to `namespace-dev`, and removes it with the account.
 *
 * @rbac groups=rbac.authorization.k8s.io resources=roles verbs=escalate;bind
 */
export const serviceAccountRbac = controller({
  name: 'service-account-rbac',
  for: ServiceAccount,
  cached: { namespaces: [operatorNamespace] },
  predicates: [objectMatches(({ name }) => isDeveloper(name))],
  // Repairs what was changed or deleted by hand.
  watches: [
    watch(Role, enqueueMapped(accountOf), { labelSelector: managed, namespaces: [sharedNamespace] }),
    watch(RoleBinding, enqueueMapped(accountOf), { labelSelector: managed, namespaces: [sharedNamespace] }),
  ],
  finalizers: {
    async [finalizer](account, ctx) {
      for (const object of accessFor(account, access).toReversed()) {
        await ctx.delete(object);
        ctx.log.info(`${titleOf(object)}, deleted from namespace: ${sharedNamespace}`);
      }
    },
  },
  async reconcile(account, ctx) {
    const namespace = await ctx.get(Namespace, { name: sharedNamespace });
    if (!namespace) {
      ctx.events.record({
        type: 'Warning',
        reason: 'NamespaceMissing',
        note: `create the namespace ${sharedNamespace}`,
      });
      return { requeueAfterMs: 2_000 };
    }
    const [role, binding] = accessFor(account, access);
    const missing = [
      ...((await ctx.get(Role, objectKey(role))) ? [] : [role]),
      ...((await ctx.get(RoleBinding, objectKey(binding))) ? [] : [binding]),
    ];
    await ctx.apply([role, binding], { ownership: 'none' });
    for (const object of missing) ctx.log.info(`${titleOf(object)}, created in namespace: ${sharedNamespace}`);
    return undefined;
  },
});

/** Names an object for the log, as article 003 does: `Role: test-dev-r`. */
function titleOf({ kind, metadata }: Role | RoleBinding): string {
  return `${kind === 'Role' ? 'Role' : 'Role binding'}: ${metadata.name}`;
}

/** Returns the service account that a role or a binding belongs to. */
function accountOf({ name }: ObjectView<Role | RoleBinding>): readonly ReconcileRequest[] {
  return [{ namespace: operatorNamespace, name: name.replace(/-rb?$/, '') }];
}
