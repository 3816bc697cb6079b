export { accessReviews } from './access-reviews.ts';
export type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';
export { NodeAuthorizer, NodeGraph } from './node/index.ts';
export type { PolicyRule } from './policy-rule.ts';
export { RbacAuthorizer } from './rbac-authorizer.ts';
export { type GrantedRule, RbacIndex } from './rbac-index.ts';
export { superuserAuthorizer, UnionAuthorizer } from './union-authorizer.ts';
