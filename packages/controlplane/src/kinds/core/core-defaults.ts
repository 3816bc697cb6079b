import type {
  Endpoints,
  LimitRangeItem,
  Namespace,
  NamespaceStatus,
  Node,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PodStatus,
  ReplicationController,
  Secret,
} from '../generated/drafts.ts';
import { isEmpty } from '../validation/check.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';
import { podDefaults } from './pod-defaults.ts';
import { serviceDefaults } from './service-defaults.ts';

/** Defaults of the core group. */
export const coreDefaults: readonly StructDefaultsEntry[] = [
  ...podDefaults,
  ...serviceDefaults,
  defaultsOf<ReplicationController>('v1.ReplicationController', (controller) => {
    const labels = controller.spec.template?.metadata.labels;
    if (!labels) return;
    if (isEmpty(controller.spec.selector)) controller.spec.selector = { ...labels };
    if (isEmpty(controller.metadata.labels)) controller.metadata.labels = { ...labels };
  }),
  defaultsOf<Secret>('v1.Secret', (secret) => {
    secret.type ||= 'Opaque';
    mergeStringData(secret);
  }),
  defaultsOf<PersistentVolume>('v1.PersistentVolume', ({ spec, status }) => {
    status.phase ||= 'Pending';
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
  }),
  defaultsOf<PersistentVolumeClaim>('v1.PersistentVolumeClaim', ({ status }) => {
    status.phase ||= 'Pending';
  }),
  defaultsOf<PersistentVolumeClaimSpec>('v1.PersistentVolumeClaimSpec', (spec) => {
    spec.volumeMode ??= 'Filesystem';
  }),
  defaultsOf<Endpoints>('v1.Endpoints', (endpoints) => {
    for (const port of (endpoints.subsets ?? []).flatMap((subset) => subset.ports ?? [])) port.protocol ||= 'TCP';
  }),
  defaultsOf<Namespace>('v1.Namespace', ({ metadata }) => {
    if (metadata.name) metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  }),
  defaultsOf<NamespaceStatus>('v1.NamespaceStatus', (status) => {
    status.phase ||= 'Active';
  }),
  defaultsOf<Node>('v1.Node', ({ spec }) => {
    // Both fields hold the same data: the old single field is the first element of the list. If they differ, it wins.
    if (spec.podCIDR) spec.podCIDRs = spec.podCIDRs?.[0] === spec.podCIDR ? spec.podCIDRs : [spec.podCIDR];
    else if (spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
  }),
  defaultsOf<PodStatus>('v1.PodStatus', (status) => {
    if (status.podIP) status.podIPs = status.podIPs?.[0]?.ip === status.podIP ? status.podIPs : [{ ip: status.podIP }];
    else if (status.podIPs?.[0]) status.podIP = status.podIPs[0].ip;
  }),
  defaultsOf<NodeStatus>('v1.NodeStatus', (status) => {
    if (!isEmpty(status.capacity)) status.allocatable ??= { ...status.capacity };
  }),
  defaultsOf<LimitRangeItem>('v1.LimitRangeItem', defaultLimitRangeItem),
];

/** Merges `stringData`, base64-encoded, into `data`, overriding existing keys. `stringData` is never stored. */
function mergeStringData(secret: Secret): void {
  const { stringData } = secret;
  delete secret.stringData;
  if (isEmpty(stringData)) return;
  const encoded = Object.entries(stringData ?? {}).map(([key, text]) => [
    key,
    Buffer.from(text, 'utf8').toString('base64'),
  ]);
  secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
}

function defaultLimitRangeItem(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}
