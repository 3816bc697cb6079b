import type { KubernetesObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { Conversion } from '@kubewright/apiserver/internal';
import { copyJson } from '../copy-json.ts';
import type {
  MetricSpec,
  Autoscalingv1HorizontalPodAutoscaler as V1,
  HorizontalPodAutoscaler as V2,
} from '../generated/drafts.ts';
import { decodeBehavior, encodeBehavior } from './autoscaler-behavior.ts';
import { flatMetric, nestedMetric } from './autoscaler-metrics.ts';

/** Version 1 has a field for CPU only. These annotations carry the other parts of version 2. */
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';
const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';
const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
/** The annotations for version 2 data that has no field in version 1. */
export const autoscalerAnnotations: readonly string[] = [
  metricsAnnotation,
  behaviorAnnotation,
  conditionsAnnotation,
  currentMetricsAnnotation,
];
const defaultCpuUtilization = 80;

/** Converts autoscalers between version 1 and the stored version 2. */
export const autoscalerConversion: Conversion = {
  toStorage: (object) => toV2(object as unknown as V1) as unknown as ReturnType<Conversion['toStorage']>,
  fromStorage: (object) => toV1(copyJson(object) as unknown as V2) as unknown as KubernetesObject,
};

function toV2(object: V1): V2 {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = object.spec;
  const { currentCPUUtilizationPercentage: currentCpu, ...status } = object.status;
  const annotations = { ...object.metadata.annotations };
  const carried = Object.fromEntries(autoscalerAnnotations.map((name) => [name, parsed(annotations[name])]));
  for (const name of autoscalerAnnotations) delete annotations[name];
  const metrics = [
    ...listOf(carried[metricsAnnotation]).map((metric) => nestedMetric(metric, 'target')),
    ...(cpu === undefined ? [] : [cpuMetric(cpu)]),
  ];
  const { annotations: _, ...metadata } = object.metadata;
  const current =
    currentCpu === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: currentCpu } } }];
  const carriedNow = listOf(carried[currentMetricsAnnotation]).map((metric) => nestedMetric(metric, 'current'));
  const metricsNow = carriedNow.length > 0 ? carriedNow : current;
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      ...spec,
      metrics: metrics.length > 0 ? metrics : [cpuMetric(defaultCpuUtilization)],
      ...defined({ behavior: decodeBehavior(carried[behaviorAnnotation]) }),
    },
    status: {
      ...status,
      currentMetrics: metricsNow.length > 0 ? metricsNow : null,
      ...(carried[conditionsAnnotation] ? { conditions: carried[conditionsAnnotation] as never } : {}),
    },
  };
}

function toV1(object: V2): V1 {
  const { metrics, behavior, ...spec } = object.spec;
  const { conditions, currentMetrics, ...status } = object.status;
  const isCpu = (metric: MetricSpec): boolean =>
    metric.type === 'Resource' &&
    metric.resource?.name === 'cpu' &&
    metric.resource.target.averageUtilization !== undefined;
  const cpu = (metrics ?? []).find(isCpu);
  const others = (metrics ?? []).filter((metric) => metric !== cpu);
  const annotations = {
    ...object.metadata.annotations,
    ...(others.length > 0 && {
      [metricsAnnotation]: JSON.stringify(others.map((metric) => flatMetric(metric, 'target'))),
    }),
    ...(behavior && { [behaviorAnnotation]: encodeBehavior(behavior) }),
    ...(conditions?.length && { [conditionsAnnotation]: JSON.stringify(conditions) }),
    ...(currentMetrics?.length && {
      [currentMetricsAnnotation]: JSON.stringify(currentMetrics.map((metric) => flatMetric(metric, 'current'))),
    }),
  };
  const currentCpu = (currentMetrics ?? []).find(({ resource }) => resource?.name === 'cpu')?.resource?.current;
  const utilization = cpu?.resource?.target.averageUtilization;
  return {
    apiVersion: 'autoscaling/v1',
    kind: object.kind,
    metadata: { ...object.metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: { ...spec, ...defined({ targetCPUUtilizationPercentage: utilization }) },
    status: {
      ...status,
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas,
      ...defined({ currentCPUUtilizationPercentage: currentCpu?.averageUtilization }),
    },
  };
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parses a conversion annotation. Ignores invalid JSON, as upstream does. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
