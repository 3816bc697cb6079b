import { isNotFound, type KubernetesObject, objectKey } from '@kubewright/apimachinery';
import {
  type ConfigMap,
  PersistentVolume,
  PersistentVolumeClaim,
  type Secret,
  type Service,
  ServiceAccount,
} from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { WatchedObjects } from '../watched-objects/watched-objects.ts';
import type { PodObjects, TokenRequestSpec } from './pod-host.ts';

/** Reads the objects that pods refer to: from the watched objects and the cache, or live. */
export class ApiPodObjects implements PodObjects {
  readonly #client: KubernetesClient;
  /** Returns the Services of a namespace. */
  readonly services: (namespace: string) => readonly Service[];
  readonly #watched: WatchedObjects;

  constructor(options: {
    readonly client: KubernetesClient;
    readonly services: (namespace: string) => readonly Service[];
    readonly watched: WatchedObjects;
  }) {
    this.#client = options.client;
    this.services = options.services;
    this.#watched = options.watched;
  }

  configMap(namespace: string, name: string): ConfigMap | undefined {
    return this.#watched.configMap(namespace, name);
  }

  secret(namespace: string, name: string): Secret | undefined {
    return this.#watched.secret(namespace, name);
  }

  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined> {
    return unlessMissing(this.#client.resource(PersistentVolumeClaim).get({ namespace, name }));
  }

  persistentVolume(name: string): Promise<PersistentVolume | undefined> {
    return unlessMissing(this.#client.resource(PersistentVolume).get({ name }));
  }

  async token(
    pod: KubernetesObject,
    request: TokenRequestSpec,
  ): Promise<{ readonly token: string; readonly expiresAtMs: number }> {
    const { name, namespace, uid } = pod.metadata;
    const account = (pod as { spec?: { serviceAccountName?: string } }).spec?.serviceAccountName ?? 'default';
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {
        audiences: request.audience === undefined ? [] : [request.audience],
        expirationSeconds: request.expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    };
    const accounts = this.#client.resource(ServiceAccount).subresource<TokenResponse>('token');
    const { status } = await accounts.create(
      objectKey({ ...pod, metadata: { namespace: namespace ?? '', name: account } }),
      body,
    );
    return { token: status.token, expiresAtMs: Date.parse(status.expirationTimestamp) };
  }
}

interface TokenResponse extends KubernetesObject {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
