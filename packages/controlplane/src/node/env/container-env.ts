import { KubewrightError } from '@kubewright/apimachinery';
import type { Container, EnvVarSource, Pod } from '@kubewright/apimachinery/core/v1';
import type { PodObjects } from '../pod/pod-host.ts';
import { expandVariables } from './expand.ts';
import { type PodPlace, podFieldValue } from './field-value.ts';
import { type Allocatable, resourceFieldValue } from './resource-value.ts';
import { serviceVariables } from './service-env.ts';

/** Thrown if a container refers to a missing object or key. The container then waits with CreateContainerConfigError. */
export class ContainerConfigError extends KubewrightError {
  override readonly name = 'ContainerConfigError';
  readonly code = 'KW5211';
}

/** Sources of a container's environment. */
export interface EnvSources {
  readonly objects: PodObjects;
  readonly place: PodPlace;
  readonly allocatable: Allocatable;
}

/**
 * Resolves a container's environment in the kubelet's order: services, `envFrom`, then `env`, whose values may refer to variables
 * defined before them.
 *
 * @throws {@link ContainerConfigError} if a referenced object or key is missing and not optional.
 */
export function containerEnvironment(pod: Pod, container: Container, sources: EnvSources): ReadonlyMap<string, string> {
  const { objects } = sources;
  const namespace = pod.metadata.namespace ?? '';
  const result = new Map<string, string>();
  fromServices(pod, objects, result);
  for (const source of container.envFrom ?? []) {
    const data = source.configMapRef
      ? configMapData(objects, { namespace, ...source.configMapRef })
      : secretData(objects, { namespace, ...source.secretRef });
    for (const [key, value] of Object.entries(data ?? {})) {
      const name = (source.prefix ?? '') + key;
      // Accept any name that the API allows, except one with an equals sign, which would end the name early.
      if (name !== '' && !name.includes('=')) result.set(name, value);
    }
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const resolved = valueFrom
      ? referredValue(valueFrom, { pod, container, sources })
      : expandVariables(value ?? '', (variable) => result.get(variable));
    if (resolved !== undefined) result.set(name, resolved);
  }
  return result;
}

function fromServices(pod: Pod, objects: PodObjects, into: Map<string, string>): void {
  const own = pod.spec?.enableServiceLinks === false ? [] : objects.services(pod.metadata.namespace ?? '');
  const master = objects.services('default').filter(({ metadata }) => metadata.name === 'kubernetes');
  for (const [name, value] of serviceVariables([...master, ...own])) into.set(name, value);
}

function referredValue(
  source: EnvVarSource,
  context: { readonly pod: Pod; readonly container: Container; readonly sources: EnvSources },
): string | undefined {
  const { pod, container, sources } = context;
  const namespace = pod.metadata.namespace ?? '';
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  if (fieldRef) {
    const value = podFieldValue(pod, fieldRef.fieldPath, sources.place);
    if (value === undefined) throw new ContainerConfigError({ what: `unsupported fieldPath: ${fieldRef.fieldPath}` });
    return value;
  }
  if (resourceFieldRef) {
    const { allocatable } = sources;
    const value = resourceFieldValue(pod, resourceFieldRef, { container, allocatable });
    if (value === undefined)
      throw new ContainerConfigError({ what: `unsupported container resource: ${resourceFieldRef.resource}` });
    return value;
  }
  if (configMapKeyRef) {
    const data = configMapData(sources.objects, { namespace, ...configMapKeyRef });
    return keyOf(data, { kind: 'ConfigMap', namespace, ...configMapKeyRef });
  }
  if (secretKeyRef) {
    const data = secretData(sources.objects, { namespace, ...secretKeyRef });
    return keyOf(data, { kind: 'Secret', namespace, ...secretKeyRef });
  }
  throw new ContainerConfigError({
    what: 'fileKeyRef is not supported on this node; use configMapKeyRef or secretKeyRef',
  });
}

interface Reference {
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

function configMapData(objects: PodObjects, ref: Reference): Readonly<Record<string, string>> | undefined {
  const found = objects.configMap(ref.namespace, ref.name ?? '');
  if (!found && !ref.optional) throw new ContainerConfigError({ what: `configmap "${ref.name}" not found` });
  return found?.data ?? (found ? {} : undefined);
}

function secretData(objects: PodObjects, ref: Reference): Readonly<Record<string, string>> | undefined {
  const found = objects.secret(ref.namespace, ref.name ?? '');
  if (!found && !ref.optional) throw new ContainerConfigError({ what: `secret "${ref.name}" not found` });
  if (!found) return undefined;
  return Object.fromEntries(
    Object.entries(found.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

function keyOf(
  data: Readonly<Record<string, string>> | undefined,
  ref: Reference & { readonly kind: string; readonly key: string },
): string | undefined {
  if (data && Object.hasOwn(data, ref.key)) return data[ref.key];
  if (ref.optional) return undefined;
  throw new ContainerConfigError({ what: `couldn't find key ${ref.key} in ${ref.kind} ${ref.namespace}/${ref.name}` });
}
