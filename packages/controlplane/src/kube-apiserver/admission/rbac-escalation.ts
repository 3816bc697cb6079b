import { forbidden, notFound } from '@kubewright/apimachinery';
import type {
  AdmissionAttributes,
  AdmissionPlugin,
  AuthorizationAttributes,
  Authorizer,
  Draft,
} from '@kubewright/apiserver';
import { formatRule, type PolicyRule, uncoveredRules } from '../authorization/policy-rule.ts';
import type { RbacIndex } from '../authorization/rbac-index.ts';

const group = 'rbac.authorization.k8s.io';

/**
 * Prevents users from granting permissions that they do not hold. Adding such permissions to a role requires the verb
 * `escalate`, and binding a role with such permissions requires the verb `bind`. Upstream does this in the storage of
 * RBAC kinds (`policybased`, 1.36).
 */
export function rbacEscalationCheck(options: {
  readonly index: RbacIndex;
  readonly authorizer: Authorizer;
}): AdmissionPlugin {
  const { index, authorizer } = options;
  return {
    name: 'RBACEscalation',
    handles: (definition) => definition.group === group,
    async validate(attributes: AdmissionAttributes): Promise<void> {
      const { definition, object, operation, user } = attributes;
      if (object === undefined || operation === 'DELETE') return;
      if (user.groups.includes('system:masters') || unchanged(attributes)) return;
      const isRole = definition.resource === 'roles' || definition.resource === 'clusterroles';
      if (await allowed(authorizer, attributes, isRole)) return;
      const wanted = isRole ? rulesOf(object) : boundRules(index, attributes, object);
      const held = [...index.rulesFor(user, attributes.namespace)].map(({ rule }) => rule);
      const missing = uncoveredRules(held, wanted);
      if (missing.length > 0) throw rejection(attributes, missing);
      if (aggregates(attributes) && uncoveredRules(held, everything).length > 0) throw aggregationRefusal(attributes);
    },
  };
}

function unchanged({ object, oldObject }: AdmissionAttributes): boolean {
  if (object === undefined || oldObject === undefined) return false;
  const old = oldObject as unknown as Record<string, unknown>;
  return ['rules', 'aggregationRule', 'subjects', 'roleRef'].every(
    (field) => JSON.stringify(object[field]) === JSON.stringify(old[field]),
  );
}

function rulesOf(object: Draft): readonly PolicyRule[] {
  return (object['rules'] as PolicyRule[] | null | undefined) ?? [];
}

/**
 * Returns the rules of a binding's role. Throws if the role does not exist, because the user who creates it later would
 * decide what the binding grants.
 */
function boundRules(
  index: RbacIndex,
  { namespace, definition }: AdmissionAttributes,
  object: Draft,
): readonly PolicyRule[] {
  const ref = object['roleRef'] as { readonly kind: string; readonly name: string } | undefined;
  const rules = ref && index.role(namespace, ref);
  if (rules === undefined) throw notFound({ group: group, resource: definition.resource }, ref?.name ?? '');
  return rules;
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * True if a role aggregates other roles. The role's rules are then unknown, because they change with the selected
 * roles.
 */
function aggregates({ object, oldObject }: AdmissionAttributes): boolean {
  return [object, oldObject as unknown as Draft | undefined].some((role) => role?.['aggregationRule'] != null);
}

function aggregationRefusal({ definition, name }: AdmissionAttributes): Error {
  const detail = 'must have cluster-admin privileges to use the aggregationRule';
  return forbidden({ group: group, resource: definition.resource }, name, detail);
}

async function allowed(
  authorizer: Authorizer,
  { definition, namespace, name, object, user }: AdmissionAttributes,
  isRole: boolean,
): Promise<boolean> {
  const ref = object?.['roleRef'] as { readonly kind: string; readonly name: string } | undefined;
  const resource = isRole ? definition.resource : ref?.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const attributes: AuthorizationAttributes = {
    user,
    verb: isRole ? 'escalate' : 'bind',
    resource: {
      group: group,
      version: 'v1',
      resource,
      subresource: '',
      namespace,
      name: isRole ? name : (ref?.name ?? ''),
    },
  };
  return (await authorizer.authorize(attributes)).decision === 'allow';
}

function rejection({ definition, name, user }: AdmissionAttributes, missing: readonly PolicyRule[]): Error {
  const groups = JSON.stringify(user.groups).replaceAll(',', ' ');
  const rules = compact(missing).map(formatRule).join('\n');
  return forbidden(
    { group: group, resource: definition.resource },
    name,
    `user "${user.username}" (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${rules}`,
  );
}

/** Merges rules that differ only in their verbs, and sorts them for readability. */
function compact(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, { readonly rule: PolicyRule; readonly verbs: string[] }>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = formatRule({ ...rest, verbs: [] });
    const same = joined.get(key);
    if (same) same.verbs.push(...(verbs ?? []).filter((verb) => !same.verbs.includes(verb)));
    else joined.set(key, { rule, verbs: [...(verbs ?? [])] });
  }
  return [...joined].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { rule, verbs }]) => ({ ...rule, verbs }));
}
