import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import { type ComputedRequest, encodeStored, type Registry } from '../registry/index.ts';
import type { StoredObject } from '../storage/index.ts';
import { namespaceOf, type ResourceCall } from './resource-call.ts';

/** Returns the part of a call that is passed to the handlers of a computed resource. */
export function requestOf(call: ResourceCall): ComputedRequest {
  return { user: call.user, namespace: namespaceOf(call), signal: call.request.signal };
}

/** Encodes an object from a handler as storage would return it. Sets its kind and apiVersion, which the handler may omit. */
export function encoded(registry: Registry, object: KubernetesObject): StoredObject {
  const { definition } = registry;
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object as KubernetesObject & object;
  const { resourceVersion, namespace = '', name = '' } = metadata;
  const draft = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata: { ...metadata }, ...rest };
  return {
    key: registry.key(namespace, name),
    bytes: encodeStored(draft as Parameters<typeof encodeStored>[0]),
    revision: revisionOf(resourceVersion),
  };
}

/** Parses a handler's resource version as a revision; returns 0 if it is not a number. */
export function revisionOf(resourceVersion = ''): number {
  return /^[1-9]\d{0,14}$/.test(resourceVersion) ? Number(resourceVersion) : 0;
}
