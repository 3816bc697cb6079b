import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { Node } from '../generated/drafts.ts';

/** Nodes: kubelets register them with a status, which only the status subresource changes later. */
export const nodes: BuiltinKind = builtinKind<Node>({
  resource: '/v1/nodes',
  struct: 'v1.Node',
  status: 'kept-on-update',
  strategy: {
    prepareForCreate: dropConfigSource,
    prepareForUpdate: dropConfigSource,
  },
  fieldLabels: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
});

/** Removes the field of a feature that no longer exists. */
function dropConfigSource({ spec }: Node): void {
  delete spec.configSource;
}
