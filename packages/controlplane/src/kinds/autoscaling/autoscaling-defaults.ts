import type {
  Autoscalingv1HorizontalPodAutoscaler,
  HorizontalPodAutoscaler,
  HPAScalingRules,
} from '../generated/drafts.ts';
import { isEmpty } from '../validation/check.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

const defaultCpuUtilization = 80;

/** The annotation that carries the metrics for which version 1 has no fields. */
const metrics = 'autoscaling.alpha.kubernetes.io/metrics';

/** Defaults of the autoscaling group. */
export const autoscalingDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<Autoscalingv1HorizontalPodAutoscaler>('autoscalingv1.HorizontalPodAutoscaler', ({ metadata, spec }) => {
    spec.minReplicas ??= 1;
    if (!metadata.annotations?.[metrics]) spec.targetCPUUtilizationPercentage ??= defaultCpuUtilization;
  }),
  defaultsOf<HorizontalPodAutoscaler>('autoscalingv2.HorizontalPodAutoscaler', ({ spec }) => {
    spec.minReplicas ??= 1;
    if (isEmpty(spec.metrics)) {
      const target = { type: 'Utilization', averageUtilization: defaultCpuUtilization };
      spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    }
    if (!spec.behavior) return;
    spec.behavior.scaleUp = { ...scaleUpRules(), ...given(spec.behavior.scaleUp) };
    spec.behavior.scaleDown = { ...scaleDownRules(), ...given(spec.behavior.scaleDown) };
  }),
];

function scaleUpRules(): HPAScalingRules {
  const policies = [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ];
  return { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies };
}

function scaleDownRules(): HPAScalingRules {
  return { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
}

function given(rules: HPAScalingRules | undefined): HPAScalingRules {
  return Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => value !== undefined));
}
