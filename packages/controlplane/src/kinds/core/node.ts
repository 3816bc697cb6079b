import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import { dropUnused } from '../drop-unused.ts';
import type { Node } from '../generated/drafts.ts';

/** Nodes. Kubelets set the status when they create their Node; later, only the status subresource changes it. */
export const nodes: BuiltinKind = builtinKind<Node>({
  resource: '/v1/nodes',
  struct: 'v1.Node',
  status: 'kept-on-update',
  strategy: {
    prepareForCreate({ spec, status }) {
      dropUnused(spec, undefined, ['configSource']);
      dropUnused(status, undefined, ['config']);
    },
    prepareForUpdate: ({ spec }, old) => dropUnused(spec, old.spec, ['configSource']),
  },
  subresources: { status: { prepareForUpdate: ({ status }, old) => dropUnused(status, old.status, ['config']) } },
  fieldLabels: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
});
