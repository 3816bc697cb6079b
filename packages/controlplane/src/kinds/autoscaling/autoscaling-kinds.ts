import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { Autoscalingv1HorizontalPodAutoscaler, HorizontalPodAutoscaler } from '../generated/drafts.ts';
import { autoscalerAnnotations, autoscalerConversion } from './autoscaler-conversion.ts';

/** Autoscalers of both versions, stored as version 2. */
export const autoscalingKinds: readonly BuiltinKind[] = [
  builtinKind<HorizontalPodAutoscaler>({
    resource: 'autoscaling/v2/horizontalpodautoscalers',
    struct: 'autoscalingv2.HorizontalPodAutoscaler',
  }),
  builtinKind<Autoscalingv1HorizontalPodAutoscaler>({
    resource: 'autoscaling/v1/horizontalpodautoscalers',
    struct: 'autoscalingv1.HorizontalPodAutoscaler',
    storageApiVersion: 'autoscaling/v2',
    conversion: autoscalerConversion,
    convertsOnDecode: true,
    conversionAnnotations: autoscalerAnnotations,
  }),
];
