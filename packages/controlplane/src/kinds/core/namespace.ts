import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { Namespace } from '../generated/drafts.ts';

const kubernetesFinalizer = 'kubernetes';

/** Namespaces. `spec.finalizers` keeps a namespace until its content is deleted. */
export const namespaces: BuiltinKind = builtinKind<Namespace>({
  resource: '/v1/namespaces',
  struct: 'v1.Namespace',
  strategy: {
    prepareForCreate({ metadata, spec, status }) {
      // Set the label now, because the defaults ran before the name was generated.
      metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name ?? '' };
      status.phase = 'Active';
      spec.finalizers ??= [];
      if (!spec.finalizers.includes(kubernetesFinalizer)) spec.finalizers.push(kubernetesFinalizer);
    },
    prepareForUpdate({ spec }, old) {
      if (old.spec.finalizers) spec.finalizers = [...old.spec.finalizers];
      else delete spec.finalizers;
    },
  },
  subresources: { status: {}, finalize: { owns: ['spec'] } },
  fieldLabels: { 'status.phase': ({ status }) => status.phase ?? '', name: ({ metadata }) => metadata.name ?? '' },
});
