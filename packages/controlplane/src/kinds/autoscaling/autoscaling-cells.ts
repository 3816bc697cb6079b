import type { KubernetesObject } from '@kubewright/apimachinery';
import type { Draft } from '@kubewright/apiserver';
import { ageOf } from '@kubewright/apiserver/internal';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../generated/drafts.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';

/** Table rows of autoscalers, the same in both versions. */
export const autoscalingCells: readonly CellsEntry[] = [
  cellsOf<HorizontalPodAutoscaler>('autoscaling/v2/horizontalpodautoscalers', cells),
  cellsOf<KubernetesObject>('autoscaling/v1/horizontalpodautoscalers', (object, nowMs) => {
    const stored = autoscalerConversion.toStorage(object as unknown as Draft) as unknown as HorizontalPodAutoscaler;
    // Version 1 does not tell where the metric of the CPU is stored; mostly, it is the first.
    const metrics = stored.spec.metrics ?? [];
    return cells(
      { ...stored, spec: { ...stored.spec, metrics: [...metrics.slice(-1), ...metrics.slice(0, -1)] } },
      nowMs,
    );
  }),
];

function cells({ metadata, spec, status }: HorizontalPodAutoscaler, nowMs: number): readonly unknown[] {
  return [
    metadata.name,
    `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    metricsText(spec.metrics ?? [], status.currentMetrics ?? []),
    spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec.maxReplicas,
    status.currentReplicas ?? 0,
    ageOf(metadata.creationTimestamp, nowMs),
  ];
}

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  const all = specs.map((spec, index) => metricText(spec, statuses[index]));
  const shown = all.slice(0, 2).join(', ');
  return all.length > 2 ? `${shown} + ${all.length - 2} more...` : shown;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'Resource':
      return resourceText({ ...spec.resource, current: status?.resource?.current });
    case 'ContainerResource':
      return resourceText({ ...spec.containerResource, current: status?.containerResource?.current });
    case 'Pods':
      return `${status?.pods?.current.averageValue ?? '<unknown>'}/${spec.pods?.target.averageValue}`;
    case 'External':
      return valueText(spec.external?.target, status?.external?.current);
    case 'Object':
      return valueText(spec.object?.target, status?.object?.current);
    default:
      return '<unknown type>';
  }
}

function resourceText(metric: {
  readonly name?: string | undefined;
  readonly target?: MetricTarget | undefined;
  readonly current: MetricValueStatus | undefined;
}): string {
  const { name, target, current } = metric;
  if (target?.averageValue !== undefined)
    return `${name}: ${current?.averageValue ?? '<unknown>'}/${target.averageValue}`;
  const now = current?.averageUtilization === undefined ? '<unknown>' : `${current.averageUtilization}%`;
  const wanted = target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`;
  return `${name}: ${now}/${wanted}`;
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? '<unknown>'}/${target.averageValue} (avg)`;
  return `${current?.value ?? '<unknown>'}/${target?.value}`;
}
