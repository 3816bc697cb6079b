import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { Node } from '../generated/drafts.ts';

/** Nodes: kubelets register them with a status, which only the status subresource changes later. */
export const nodes: BuiltinKind = builtinKind<Node>({
  resource: '/v1/nodes',
  struct: 'v1.Node',
  status: 'kept-on-update',
  fieldLabels: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
});
