import { ageOf, humanDuration } from '@kubewright/apiserver/internal';
import type {
  APIService,
  CertificateSigningRequest,
  EndpointSlice,
  FlowSchema,
  Lease,
  PodDisruptionBudget,
  PriorityClass,
  PriorityLevelConfiguration,
  ResourceSlice,
  Resourcev1ResourceClaim,
  RuntimeClass,
} from './generated/drafts.ts';
import { firstThree, orNone } from './table/cell-text.ts';
import { type CellsEntry, cellsOf } from './table/kind-cells.ts';

/** Table rows of small API groups. */
export const smallGroupCells: readonly CellsEntry[] = [
  cellsOf<APIService>('apiregistration.k8s.io/v1/apiservices', ({ metadata, spec, status }, nowMs) => {
    const available = (status.conditions ?? []).find(({ type }) => type === 'Available');
    const text =
      available?.status === 'True'
        ? 'True'
        : `${available?.status ?? 'Unknown'}${available?.reason ? ` (${available.reason})` : ''}`;
    const service = spec.service ? `${spec.service.namespace}/${spec.service.name}` : 'Local';
    return [metadata.name, service, text, ageOf(metadata.creationTimestamp, nowMs)];
  }),
  cellsOf<CertificateSigningRequest>('certificates.k8s.io/v1/certificatesigningrequests', (request, nowMs) => {
    const { metadata, spec } = request;
    return [
      metadata.name,
      ageOf(metadata.creationTimestamp, nowMs),
      orNone(spec.signerName),
      spec.username ?? '',
      spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
      decisionOf(request),
    ];
  }),
  cellsOf<PodDisruptionBudget>('policy/v1/poddisruptionbudgets', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    String(spec.minAvailable ?? 'N/A'),
    String(spec.maxUnavailable ?? 'N/A'),
    status.disruptionsAllowed,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<PriorityClass>(
    'scheduling.k8s.io/v1/priorityclasses',
    ({ metadata, value, globalDefault, preemptionPolicy }, nowMs) => [
      metadata.name,
      value,
      globalDefault ?? false,
      ageOf(metadata.creationTimestamp, nowMs),
      preemptionPolicy ?? '',
    ],
  ),
  cellsOf<Lease>('coordination.k8s.io/v1/leases', ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec.holderIdentity ?? '',
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<RuntimeClass>('node.k8s.io/v1/runtimeclasses', ({ metadata, handler }, nowMs) => [
    metadata.name,
    handler,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<EndpointSlice>('discovery.k8s.io/v1/endpointslices', ({ metadata, addressType, ports, endpoints }, nowMs) => [
    metadata.name,
    addressType,
    firstThree((ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port)))),
    firstThree((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<Resourcev1ResourceClaim>('resource.k8s.io/v1/resourceclaims', (claim, nowMs) => [
    claim.metadata.name,
    claimState(claim),
    ageOf(claim.metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<ResourceSlice>('resource.k8s.io/v1/resourceslices', ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec.nodeName ?? '',
    spec.driver,
    spec.pool.name,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<FlowSchema>('flowcontrol.apiserver.k8s.io/v1/flowschemas', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec.priorityLevelConfiguration.name,
    spec.matchingPrecedence,
    orNone(spec.distinguisherMethod?.type),
    ageOf(metadata.creationTimestamp, nowMs),
    (status.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?',
  ]),
  cellsOf<PriorityLevelConfiguration>(
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    ({ metadata, spec }, nowMs) => {
      const queuing = spec.limited?.limitResponse.queuing;
      return [
        metadata.name,
        spec.type,
        spec.limited?.nominalConcurrencyShares ?? '<none>',
        queuing?.queues ?? '<none>',
        queuing?.handSize ?? '<none>',
        queuing?.queueLengthLimit ?? '<none>',
        ageOf(metadata.creationTimestamp, nowMs),
      ];
    },
  ),
];

function decisionOf({ status }: CertificateSigningRequest): string {
  const has = (wanted: string): boolean => (status.conditions ?? []).some(({ type }) => type === wanted);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return [decision, has('Failed') && 'Failed', status.certificate && 'Issued'].filter(Boolean).join(',');
}

function claimState({ metadata, status }: Resourcev1ResourceClaim): string {
  const deleted = Boolean(metadata.deletionTimestamp);
  if (!status.allocation) return deleted ? 'deleted' : 'pending';
  return [deleted && 'deleted', 'allocated', (status.reservedFor ?? []).length > 0 && 'reserved']
    .filter(Boolean)
    .join(',');
}
