import type { MetricSpec, MetricStatus } from '../generated/drafts.ts';

type Json = Record<string, unknown>;
type Prefix = 'target' | 'current';

/**
 * A field of a metric in version 1, and its path in version 2. Fields with a `zero` value are always encoded, so they have that
 * value if version 2 has none.
 */
interface FlatField {
  readonly name: string;
  readonly path: readonly [string, string?];
  readonly zero?: unknown;
}

const resourceName: FlatField = { name: 'name', path: ['name'], zero: '' };
const container: FlatField = { name: 'container', path: ['container'], zero: '' };
const metricName: FlatField = { name: 'metricName', path: ['metric', 'name'], zero: '' };
const selector: FlatField = { name: 'selector', path: ['metric', 'selector'] };
const metricSelector: FlatField = { ...selector, name: 'metricSelector' };
const describedObject: FlatField = { name: 'target', path: ['describedObject'], zero: { kind: '', name: '' } };

function utilization(prefix: Prefix): FlatField {
  return { name: `${prefix}AverageUtilization`, path: [prefix, 'averageUtilization'] };
}

function average(prefix: Prefix, zero?: '0'): FlatField {
  return { name: `${prefix}AverageValue`, path: [prefix, 'averageValue'], zero };
}

function amount(prefix: Prefix, zero?: '0'): FlatField {
  return { name: `${prefix}Value`, path: [prefix, 'value'], zero };
}

function averageOfObject(prefix: Prefix): FlatField {
  return { ...average(prefix), name: 'averageValue' };
}

/** The fields of each source of a metric in version 1, in the order in which Go encodes them. */
const layouts: Readonly<Record<Prefix, Readonly<Record<string, readonly FlatField[]>>>> = {
  target: {
    object: [describedObject, metricName, amount('target', '0'), selector, averageOfObject('target')],
    pods: [metricName, average('target', '0'), selector],
    resource: [resourceName, utilization('target'), average('target')],
    containerResource: [resourceName, utilization('target'), average('target'), container],
    external: [metricName, metricSelector, amount('target'), average('target')],
  },
  current: {
    object: [describedObject, metricName, amount('current', '0'), selector, averageOfObject('current')],
    pods: [metricName, average('current', '0'), selector],
    resource: [resourceName, utilization('current'), average('current', '0')],
    containerResource: [resourceName, utilization('current'), average('current', '0'), container],
    external: [metricName, metricSelector, amount('current', '0'), average('current')],
  },
};

/**
 * Converts a metric to the annotation format of version 1, which flattens the fields of `target` or `current` into the metric.
 * `prefix` is `target` for a desired value and `current` for an observed one.
 */
export function flatMetric(metric: MetricSpec | MetricStatus, prefix: Prefix): Json {
  const flat: Json = { type: metric.type };
  for (const [source, layout] of Object.entries(layouts[prefix])) {
    const details = (metric as unknown as Json)[source] as Json | undefined;
    if (details) flat[source] = flatSource(details, layout);
  }
  return flat;
}

function flatSource(details: Json, layout: readonly FlatField[]): Json {
  const flat: Json = {};
  for (const { name, path, zero } of layout) {
    const [first, second] = path;
    const value = second === undefined ? details[first] : (details[first] as Json | undefined)?.[second];
    if ((value ?? zero) !== undefined) flat[name] = value ?? zero;
  }
  return flat;
}

/** Converts a metric back from the format of {@link flatMetric}. */
export function nestedMetric(flat: unknown, prefix: Prefix): MetricSpec & MetricStatus {
  const given = flat as Json;
  const metric: Json = { type: given['type'] ?? '' };
  for (const [source, layout] of Object.entries(layouts[prefix])) {
    const details = given[source] as Json | undefined;
    if (details) metric[source] = nestedSource(source, details, { prefix, layout });
  }
  return metric as unknown as MetricSpec & MetricStatus;
}

function nestedSource(
  source: string,
  details: Json,
  { prefix, layout }: { readonly prefix: Prefix; readonly layout: readonly FlatField[] },
): Json {
  const nested: Json = {};
  for (const { name, path, zero } of layout) {
    const value = details[name] ?? zero;
    const [first, second] = path;
    if (second !== undefined) nested[first] ??= {};
    if (value === undefined) continue;
    if (second === undefined) nested[first] = value;
    else (nested[first] as Json)[second] = value;
  }
  return prefix === 'target' ? { ...nested, target: typedTarget(source, nested['target'] as Json) } : nested;
}

/** Adds the type of a target, which version 1 does not have. Mirrors the conversions from version 1 (1.36). */
function typedTarget(source: string, target: Json): Json {
  const { value, averageValue, averageUtilization } = target;
  const isZero = /^[+-]?[0.]+\D*$/.test(String(value));
  switch (source) {
    case 'object':
      if (averageValue === undefined) return { type: 'Value', ...target };
      return { type: 'AverageValue', averageValue, ...(!isZero && { value }) };
    case 'external':
      return { type: value === undefined ? 'AverageValue' : 'Value', ...target };
    case 'pods':
      return { type: 'AverageValue', ...target };
    default:
      return { type: averageUtilization === undefined ? 'AverageValue' : 'Utilization', ...target };
  }
}
