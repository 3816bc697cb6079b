import type { KubernetesObject } from '@kubewright/apimachinery';
import { internalError } from '../../http/failures.ts';
import type { ResourceCatalog, ResourceDefinition } from '../../registry/index.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';

/** Group, version and kind of the bodies of a resource or subresource. */
export interface BodyType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The version in which a webhook or policy gets a request. */
export interface Version {
  readonly definition: ResourceDefinition;
  readonly type: BodyType;
}

/** The objects of a request in one version. */
export interface VersionedObjects {
  readonly object: Draft | undefined;
  readonly oldObject: KubernetesObject | undefined;
}

/** Returns the body type of a resource or subresource; `undefined` if the subresource does not exist. */
function bodyTypeOf(definition: ResourceDefinition, subresource: string): BodyType | undefined {
  const { group, version, kind } = subresource === '' ? definition : (definition.subresources.get(subresource) ?? {});
  return kind === undefined ? undefined : { group: group ?? '', version: version ?? '', kind };
}

/** Returns the version of the incoming request. */
export function requestVersion({ definition, subresource }: AdmissionAttributes): Version {
  return { definition, type: bodyTypeOf(definition, subresource) ?? definition };
}

/**
 * Returns the other resources that serve the same objects: the other versions of the kind and, for events, the other API group.
 * They share one storage prefix.
 */
export function equivalentVersions(catalog: ResourceCatalog, attributes: AdmissionAttributes): readonly Version[] {
  const { definition, subresource } = attributes;
  return catalog.all().flatMap((other) => {
    if (other.storagePrefix !== definition.storagePrefix || other.virtual !== undefined) return [];
    if (other.group === definition.group && other.version === definition.version) return [];
    const type = bodyTypeOf(other, subresource);
    return type === undefined ? [] : [{ definition: other, type }];
  });
}

/** Converts a request's object to another version. The result is a deep copy, because later steps change the object. */
export async function convertBody(object: Draft, from: Version, to: Version): Promise<Draft> {
  const { group, version, kind } = from.type;
  if (group === to.type.group && version === to.type.version && kind === to.type.kind) return copyOf(object);
  if (kind !== from.definition.kind || to.type.kind !== to.definition.kind) {
    throw internalError(`${version}.${kind} is not suitable for converting to ${to.type.version}.${to.type.kind}`);
  }
  const apiVersion = to.type.group === '' ? to.type.version : `${to.type.group}/${to.type.version}`;
  const { converter } = from.definition;
  if (converter !== undefined) return converter.convert(copyOf(object), apiVersion);
  const stored = from.definition.conversion?.toStorage(copyOf(object)) ?? copyOf(object);
  const made = to.definition.conversion?.fromStorage(stored as unknown as KubernetesObject) ?? stored;
  return { ...(made as unknown as Draft), apiVersion, kind: to.type.kind };
}

/** Copies a draft, which is plain JSON. */
export function copyOf(object: Draft): Draft {
  return structuredClone(object);
}

/** Returns the namespace of a request: for a Namespace object, its own name. */
export function namespaceOf({ definition, namespace, name }: AdmissionAttributes): string {
  return definition.group === '' && definition.resource === 'namespaces' ? name : namespace;
}
