import type { KubernetesObject } from '@kubewright/apimachinery';
import type { InstanceStatus } from './api/v1/instance.ts';
import type { OperatorVersionSpec, Parameter, Step } from './api/v1/operator-version.ts';

/** Parameters and their values. */
export interface Values {
  readonly parameters: readonly Parameter[];
  readonly values: Readonly<Record<string, string>>;
}

/** Returns the objects of a step. A Job runs once, so its name ends with the number of the run. */
export function objectsOf(
  { resources }: Step,
  { parameters = [] }: OperatorVersionSpec,
  { parameters: values = {}, run }: InstanceStatus,
): readonly KubernetesObject[] {
  return resources.map((manifest) => {
    // The server validates the result.
    const object = render(manifest, { parameters, values }) as KubernetesObject;
    const { metadata } = object;
    return object.kind === 'Job' ? { ...object, metadata: { ...metadata, name: `${metadata.name}-${run}` } } : object;
  });
}

/** Returns the objects of all plans. */
export function allObjects(spec: OperatorVersionSpec, status: InstanceStatus): readonly KubernetesObject[] {
  const steps = spec.plans.flatMap(({ phases }) => phases.flatMap((phase) => phase.steps));
  return steps.flatMap((step) => objectsOf(step, spec, status));
}

/**
 * Replaces each `{{NAME}}` in the strings of a manifest. A string that is only a placeholder becomes a value of the parameter's type, so that
 * `replicas: "{{REPLICAS}}"` is a number.
 */
export function render(value: unknown, given: Values): unknown {
  if (Array.isArray(value)) return value.map((each) => render(each, given));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, render(each, given)]));
  if (typeof value !== 'string') return value;
  const only = /^\{\{\s*(\w+)\s*\}\}$/.exec(value)?.[1];
  if (only !== undefined) return typed(only, given);
  return value.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(typed(name, given)));
}

function typed(name: string, { parameters, values }: Values): string | number | boolean {
  const parameter = parameters.find((each) => each.name === name);
  const value = values[name];
  if (parameter === undefined || value === undefined) throw new Error(`a manifest uses the unknown parameter ${name}`);
  if (parameter.type === 'integer') return Number(value);
  return parameter.type === 'boolean' ? value === 'true' : value;
}
