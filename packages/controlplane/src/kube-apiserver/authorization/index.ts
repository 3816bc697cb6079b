export { accessReviews } from './access-reviews.ts';
export { NodeAuthorizer, NodeGraph } from './node/index.ts';
export { RbacAuthorizer } from './rbac-authorizer.ts';
export { RbacIndex } from './rbac-index.ts';
