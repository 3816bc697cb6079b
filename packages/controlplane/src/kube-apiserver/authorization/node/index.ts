export { NodeAuthorizer } from './node-authorizer.ts';
export { NodeGraph } from './node-graph.ts';
