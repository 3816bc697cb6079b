import type {
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../generated/drafts.ts';

/**
 * Converts a metric to the annotation format of version 1, which flattens the fields of `target` or `current` into the metric.
 * `prefix` is
 * `target` for a desired value and `current` for an observed one.
 */
export function flatMetric(metric: MetricSpec | MetricStatus, prefix: 'target' | 'current'): Record<string, unknown> {
  const source = sourceOf(metric.type);
  const details = (metric as unknown as Record<string, Record<string, unknown>>)[source] ?? {};
  const values = (details[prefix] ?? {}) as MetricTarget & MetricValueStatus;
  const identifier = details['metric'] as MetricIdentifier | undefined;
  const average = source === 'object' ? 'averageValue' : `${prefix}AverageValue`;
  return {
    type: metric.type,
    [source]: defined({
      name: details['name'],
      container: details['container'],
      target: details['describedObject'],
      metricName: identifier?.name,
      [source === 'external' ? 'metricSelector' : 'selector']: identifier?.selector,
      [`${prefix}AverageUtilization`]: values.averageUtilization,
      [average]: values.averageValue,
      [`${prefix}Value`]: values.value,
    }),
  };
}

/** Converts a metric back from the format of {@link flatMetric}. */
export function nestedMetric(flat: unknown, prefix: 'target' | 'current'): MetricSpec & MetricStatus {
  const { type, ...sources } = flat as { readonly type: string } & Record<string, Record<string, unknown>>;
  const source = sourceOf(type);
  const details = sources[source] ?? {};
  const average = source === 'object' ? details['averageValue'] : details[`${prefix}AverageValue`];
  const values = defined({
    averageUtilization: details[`${prefix}AverageUtilization`],
    averageValue: average,
    value: average === undefined || prefix === 'current' ? details[`${prefix}Value`] : undefined,
  });
  const identifier = defined({
    name: details['metricName'],
    selector: details['metricSelector'] ?? details['selector'],
  });
  const target = prefix === 'target' ? { type: targetType(values), ...values } : values;
  const nested = defined({
    name: details['name'],
    container: details['container'],
    describedObject: details['target'],
    metric: details['metricName'] === undefined ? undefined : identifier,
    [prefix]: target,
  });
  return { type, [source]: nested } as unknown as MetricSpec & MetricStatus;
}

function targetType(values: Record<string, unknown>): string {
  if (values['averageUtilization'] !== undefined) return 'Utilization';
  return values['averageValue'] !== undefined ? 'AverageValue' : 'Value';
}

function sourceOf(type: string): string {
  return type.charAt(0).toLowerCase() + type.slice(1);
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
