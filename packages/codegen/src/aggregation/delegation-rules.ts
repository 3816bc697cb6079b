import { type RbacRule, ruleFor } from '../rbac/rule.ts';

/**
 * Permissions that an aggregated API server needs to authenticate and authorize callers through the cluster, and to look up
 * namespaces.
 */
export const delegationRules: readonly RbacRule[] = [
  ruleFor({ group: 'authentication.k8s.io', plural: 'tokenreviews' }, 'create'),
  ruleFor({ group: 'authorization.k8s.io', plural: 'subjectaccessreviews' }, 'create'),
  {
    ...ruleFor({ group: '', plural: 'configmaps' }, 'get'),
    resourceNames: ['extension-apiserver-authentication'],
  },
  ruleFor({ group: '', plural: 'namespaces' }, 'get'),
];
