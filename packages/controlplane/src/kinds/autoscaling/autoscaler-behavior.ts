import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../generated/drafts.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Encodes the behavior of an autoscaler for the annotation of version 1. Upstream encodes its internal types there, so the keys
 * are the names of Go fields, and fields that are not set are null.
 */
export function encodeBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
  return JSON.stringify({ ScaleUp: goRules(scaleUp), ScaleDown: goRules(scaleDown) });
}

function goRules(rules: HPAScalingRules | undefined): Json | null {
  if (!rules) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds: PeriodSeconds }) => {
        return { Type: type, Value: value, PeriodSeconds };
      }) ?? null,
    Tolerance: tolerance ?? null,
  };
}

/** Decodes the format of {@link encodeBehavior}. The case of keys does not matter, as in Go. Returns undefined for an empty behavior. */
export function decodeBehavior(value: unknown): HorizontalPodAutoscalerBehavior | undefined {
  const behavior = withWireKeys(value);
  return isObject(behavior) && Object.keys(behavior).length > 0 ? behavior : undefined;
}

const wireKeys: ReadonlyMap<string, string> = new Map(
  [
    'scaleUp',
    'scaleDown',
    'stabilizationWindowSeconds',
    'selectPolicy',
    'policies',
    'tolerance',
    'type',
    'value',
    'periodSeconds',
  ].map((key) => [key.toLowerCase(), key]),
);

function withWireKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWireKeys);
  if (!isObject(value)) return value;
  const known = Object.entries(value).flatMap(([key, item]) => {
    const name = wireKeys.get(key.toLowerCase());
    return name === undefined || item === null ? [] : [[name, withWireKeys(item)]];
  });
  return Object.fromEntries(known);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
