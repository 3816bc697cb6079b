import { type RbacRule, ruleFor } from '../rbac/rule.ts';

/** Permissions with which an API server authenticates and authorizes callers, and checks namespaces, through the cluster. */
export const delegationRules: readonly RbacRule[] = [
  ruleFor({ group: 'authentication.k8s.io', plural: 'tokenreviews' }, 'create'),
  ruleFor({ group: 'authorization.k8s.io', plural: 'subjectaccessreviews' }, 'create'),
  {
    ...ruleFor({ group: '', plural: 'configmaps' }, 'get'),
    resourceNames: ['extension-apiserver-authentication'],
  },
  ruleFor({ group: '', plural: 'namespaces' }, 'get'),
];
