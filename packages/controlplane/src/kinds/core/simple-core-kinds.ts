import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type {
  ComponentStatus,
  Endpoints,
  LimitRange,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  ServiceAccount,
} from '../generated/drafts.ts';
import { workloadScale } from '../workload-scale.ts';

/** Kinds of the core group with little specific behavior. */
export const simpleCoreKinds: readonly BuiltinKind[] = [
  // Upstream computes the list of component statuses from health checks. Kubewright stores none, so the list is empty.
  builtinKind<ComponentStatus>({ resource: '/v1/componentstatuses', struct: 'v1.ComponentStatus' }),
  builtinKind<Endpoints>({ resource: '/v1/endpoints', struct: 'v1.Endpoints', allowCreateOnUpdate: true }),
  builtinKind<LimitRange>({
    resource: '/v1/limitranges',
    struct: 'v1.LimitRange',
    allowCreateOnUpdate: true,
    strategy: {
      // Upstream generates a UUID as the name. The object's own is as good.
      prepareForCreate({ metadata }) {
        metadata.name ||= metadata.uid;
      },
    },
  }),
  builtinKind<PodTemplate>({ resource: '/v1/podtemplates', struct: 'v1.PodTemplate', generation: 'object' }),
  builtinKind<ReplicationController>({
    resource: '/v1/replicationcontrollers',
    struct: 'v1.ReplicationController',
    generation: 'spec',
    defaultPropagation: 'Orphan',
    scale: { ...workloadScale, selectorPath: ['spec', 'selector'] },
    fieldLabels: { 'status.replicas': ({ status }) => String(status.replicas) },
  }),
  builtinKind<ResourceQuota>({ resource: '/v1/resourcequotas', struct: 'v1.ResourceQuota' }),
  builtinKind<ServiceAccount>({
    resource: '/v1/serviceaccounts',
    struct: 'v1.ServiceAccount',
    strategy: { prepareForCreate: keepSecretNames, prepareForUpdate: keepSecretNames },
  }),
];

/** Keeps only the names of referenced Secrets, as upstream does. */
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}));
}
