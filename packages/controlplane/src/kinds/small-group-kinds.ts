import { formatTime } from '@kubewright/apimachinery/internal';
import { apiServiceStrategy } from './apiregistration/api-service.ts';
import { type BuiltinKind, builtinKind } from './builtin-kind.ts';
import { endpointSlice } from './discovery/endpoint-slice.ts';
import { dropUnused } from './drop-unused.ts';
import type {
  APIService,
  DeviceClass,
  FlowSchema,
  Lease,
  PriorityClass,
  PriorityLevelConfiguration,
  ResourceClaimTemplate,
  ResourceSlice,
  Resourcev1ResourceClaim,
  RuntimeClass,
} from './generated/drafts.ts';
import { dateTaints } from './resource/date-taints.ts';
import { dropUnusedOfDevices } from './resource/unused-device-fields.ts';
import { semanticEqual } from './validation/check.ts';

/** Fields of the feature gate `CoordinatedLeaderElection`. */
const coordinatedElection = ['strategy', 'preferredHolder'] as const;

/** Kinds of small API groups. */
export const smallGroupKinds: readonly BuiltinKind[] = [
  builtinKind<APIService>({
    resource: 'apiregistration.k8s.io/v1/apiservices',
    struct: 'apiregistrationv1.APIService',
    allowUnconditionalUpdate: false,
    strategy: apiServiceStrategy,
    subresources: { status: { keepsMetadata: true } },
  }),
  builtinKind<PriorityClass>({
    resource: 'scheduling.k8s.io/v1/priorityclasses',
    struct: 'schedulingv1.PriorityClass',
    strategy: {
      // Upstream sets the generation to 1 and never increases it.
      prepareForCreate({ metadata }) {
        metadata.generation = 1;
      },
    },
  }),
  builtinKind<Lease>({
    resource: 'coordination.k8s.io/v1/leases',
    struct: 'coordinationv1.Lease',
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    strategy: {
      prepareForCreate: ({ spec }) => dropUnused(spec, undefined, coordinatedElection),
      prepareForUpdate: ({ spec }, old) => dropUnused(spec, old.spec, coordinatedElection),
    },
  }),
  builtinKind<RuntimeClass>({
    resource: 'node.k8s.io/v1/runtimeclasses',
    struct: 'nodev1.RuntimeClass',
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
  }),
  endpointSlice,
  builtinKind<DeviceClass>({
    resource: 'resource.k8s.io/v1/deviceclasses',
    struct: 'resourcev1.DeviceClass',
    generation: 'spec',
  }),
  builtinKind<Resourcev1ResourceClaim>({
    resource: 'resource.k8s.io/v1/resourceclaims',
    struct: 'resourcev1.ResourceClaim',
    subresources: { status: { keepsMetadata: true } },
  }),
  builtinKind<ResourceClaimTemplate>({
    resource: 'resource.k8s.io/v1/resourceclaimtemplates',
    struct: 'resourcev1.ResourceClaimTemplate',
  }),
  builtinKind<ResourceSlice>({
    resource: 'resource.k8s.io/v1/resourceslices',
    struct: 'resourcev1.ResourceSlice',
    generation: 'spec',
    strategy: {
      prepareForCreate({ spec }, { clock }) {
        dateTaints(spec, formatTime(clock.now()));
        dropUnusedOfDevices(spec, undefined);
      },
      prepareForUpdate({ metadata, spec }, old, { clock }) {
        dateTaints(spec, formatTime(clock.now()));
        // Upstream compares the generation before it drops fields.
        if (!semanticEqual(spec, old.spec)) metadata.generation = (old.metadata.generation ?? 0) + 1;
        dropUnusedOfDevices(spec, old.spec);
      },
    },
    fieldLabels: { 'spec.driver': ({ spec }) => spec.driver, 'spec.nodeName': ({ spec }) => spec.nodeName ?? '' },
  }),
  builtinKind<FlowSchema>({
    resource: 'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    struct: 'flowcontrolv1.FlowSchema',
    generation: 'spec',
    subresources: { status: { keepsMetadata: true } },
  }),
  builtinKind<PriorityLevelConfiguration>({
    resource: 'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    struct: 'flowcontrolv1.PriorityLevelConfiguration',
    generation: 'spec',
    subresources: { status: { keepsMetadata: true } },
  }),
];
