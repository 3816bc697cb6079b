import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { Deployment, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, Service } from '@kubewright/apimachinery/core/v1';
import type { InstanceStatus } from './api/v1/instance.ts';
import type { OperatorVersionSpec, Step } from './api/v1/operator-version.ts';
import { InvalidInstance, typed, type Value } from './typed.ts';

/** The kinds that plans can apply. */
export const kinds: readonly Kind<KubernetesObject>[] = [ConfigMap, Service, Deployment, StatefulSet, Job];

/**
 * Returns the objects of a step. A Job runs once, so its name ends with the number of the run.
 *
 * @throws InvalidInstance if a manifest uses an unknown parameter or another kind
 */
export function objectsOf(
  { resources }: Step,
  { parameters = [] }: OperatorVersionSpec,
  { parameters: texts = {}, run }: InstanceStatus,
): readonly KubernetesObject[] {
  const parameterOf = (name: string): Value => {
    const parameter = parameters.find((each) => each.name === name);
    const text = texts[name] ?? parameter?.default;
    if (!parameter || text === undefined) throw new InvalidInstance(`a manifest uses the unknown parameter ${name}`);
    return typed(parameter, text);
  };
  const known = kinds.map(({ kind }) => kind);
  return resources.map((manifest) => {
    // The server validates the result.
    const object = render(manifest, parameterOf) as KubernetesObject;
    const { kind, metadata } = object;
    if (!known.includes(kind)) throw new InvalidInstance(`a plan can apply ${known.join(', ')}, not ${kind}`);
    return kind === 'Job' ? { ...object, metadata: { ...metadata, name: `${metadata.name}-${run}` } } : object;
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
function render(manifest: unknown, get: (name: string) => Value): unknown {
  if (Array.isArray(manifest)) return manifest.map((each) => render(each, get));
  if (typeof manifest === 'object' && manifest !== null)
    return Object.fromEntries(Object.entries(manifest).map(([key, each]) => [key, render(each, get)]));
  if (typeof manifest !== 'string') return manifest;
  const only = /^\{\{\s*(\w+)\s*\}\}$/.exec(manifest)?.[1];
  if (only !== undefined) return get(only);
  return manifest.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(get(name)));
}
