import type { KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { autoscalerConversion } from './autoscaler-conversion.ts';

const prefix = 'autoscaling.alpha.kubernetes.io';
const { fromStorage, toStorage } = autoscalerConversion;

function stored(spec: object, status: object = {}): KubernetesObject {
  const all = { scaleTargetRef: { kind: 'A', name: 'a' }, maxReplicas: 1, ...spec };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: all,
    status: { desiredReplicas: 0, currentMetrics: null, ...status },
  } as unknown as KubernetesObject;
}

/** The texts are those of kube-apiserver 1.36.3, whose clients compare the annotations as text. */
describe('autoscalers in version 1', () => {
  it('carry current metrics with all fields that Go always encodes', () => {
    const current = { averageUtilization: 5 };
    const currentMetrics = [
      { type: 'Resource', resource: { name: 'cpu', current } },
      { type: 'External', external: { metric: { name: 'm' }, current: { averageValue: '2' } } },
    ];
    const { metadata, status } = fromStorage(stored({}, { currentMetrics })) as unknown as {
      metadata: { annotations: Record<string, string> };
      status: object;
    };
    expect(metadata.annotations[`${prefix}/current-metrics`]).toBe(
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":5,"currentAverageValue":"0"}},' +
        '{"type":"External","external":{"metricName":"m","currentValue":"0","currentAverageValue":"2"}}]',
    );
    expect(status).toMatchObject({ currentCPUUtilizationPercentage: 5 });
  });

  it('carry the behavior with the names of Go fields, and read it back', () => {
    const scaleUp = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] };
    const served = fromStorage(stored({ behavior: { scaleUp } }));
    expect(served.metadata.annotations?.[`${prefix}/behavior`]).toBe(
      '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":null,"Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
    );
    const back = toStorage(served as never) as unknown as { spec: { behavior: object } };
    expect(back.spec.behavior).toEqual({ scaleUp });
  });

  it('keep all metrics, and add the one of the CPU last', () => {
    const pods = { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } };
    const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } };
    const metrics = [
      { type: 'Resource', resource: cpu },
      { type: 'Pods', pods },
    ];
    const served = fromStorage(stored({ metrics }));
    expect(served.metadata.annotations?.[`${prefix}/metrics`]).toBe(
      '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1"}}]',
    );
    const back = toStorage(served as never) as unknown as { spec: { metrics: object[] } };
    expect(back.spec.metrics).toEqual([
      { type: 'Pods', pods },
      { type: 'Resource', resource: cpu },
    ]);
  });
});
