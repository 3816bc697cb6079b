import { ageOf } from '@kubewright/apiserver/internal';
import type {
  ComponentStatus,
  ConfigMap,
  Endpoints,
  LimitRange,
  Namespace,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
} from '../generated/drafts.ts';
import { containerTexts, labelText } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';
import { nodeCells } from './node-cells.ts';
import { podCells } from './pod-cells.ts';
import { serviceCells } from './service-cells.ts';
import { volumeCells } from './volume-cells.ts';

/** Table rows of the core group. */
export const coreCells: readonly CellsEntry[] = [
  podCells,
  nodeCells,
  serviceCells,
  ...volumeCells,
  cellsOf<ComponentStatus>('/v1/componentstatuses', ({ metadata, conditions }) => {
    const healthy = (conditions ?? []).find(({ type }) => type === 'Healthy');
    const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
    return [metadata.name, status, healthy?.message ?? '', healthy?.error ?? ''];
  }),
  cellsOf<ConfigMap>('/v1/configmaps', ({ metadata, data, binaryData }, nowMs) => [
    metadata.name,
    Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<Endpoints>('/v1/endpoints', (endpoints, nowMs) => [
    endpoints.metadata.name,
    endpointsText(endpoints),
    ageOf(endpoints.metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<LimitRange>('/v1/limitranges', ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? null]),
  cellsOf<Namespace>('/v1/namespaces', ({ metadata, status }, nowMs) => [
    metadata.name,
    status.phase ?? '',
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<PodTemplate>('/v1/podtemplates', ({ metadata, template }) => [
    metadata.name,
    ...containerTexts(template.spec.containers),
    labelText(template.metadata.labels),
  ]),
  cellsOf<ReplicationController>('/v1/replicationcontrollers', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec.replicas ?? 0,
    status.replicas,
    status.readyReplicas ?? 0,
    ageOf(metadata.creationTimestamp, nowMs),
    ...containerTexts(spec.template?.spec.containers),
    labelText(spec.selector),
  ]),
  cellsOf<ResourceQuota>('/v1/resourcequotas', (quota, nowMs) => [
    quota.metadata.name,
    quotaText(quota, (name) => !name.startsWith('limits.')),
    quotaText(quota, (name) => name.startsWith('limits.')),
    ageOf(quota.metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<Secret>('/v1/secrets', ({ metadata, type, data }, nowMs) => [
    metadata.name,
    type ?? '',
    Object.keys(data ?? {}).length,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
];

function quotaText({ status }: ResourceQuota, belongs: (name: string) => boolean): string {
  const names = Object.keys(status.hard ?? {})
    .filter(belongs)
    .sort();
  return names.map((name) => `${name}: ${status.used?.[name] ?? '0'}/${status.hard?.[name]}`).join(', ');
}

function endpointsText({ subsets }: Endpoints): string {
  if ((subsets ?? []).length === 0) return '<none>';
  const all = (subsets ?? []).flatMap(({ addresses, ports }) => {
    const ips = (addresses ?? []).map(({ ip }) => ip);
    if ((ports ?? []).length === 0) return ips;
    return (ports ?? []).flatMap(({ port }) =>
      ips.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
    );
  });
  const shown = all.slice(0, 3).join(',');
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}
