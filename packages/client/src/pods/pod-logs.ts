import type { KindDescriptor, ObjectKey } from '@kubewright/apimachinery';
import type { KubernetesClient } from '../client.ts';
import type { CallOptions } from '../resource/call-options.ts';
import type { ByteStream } from '../resource/resource-client.ts';

const POD: KindDescriptor = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };

/** Options of {@link podLogs}; names and meanings match those of `kubectl logs`. */
export interface PodLogOptions extends CallOptions {
  /** @defaultValue the pod's only container, or the one named in its annotation */
  readonly container?: string;
  /** Keeps streaming as the container writes. @defaultValue false */
  readonly follow?: boolean;
  /** Reads the log of the container's previous run. @defaultValue false */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** Streams a container's log as bytes; split it with {@link LineSplitter}. With `follow` it ends with the container. */
export function podLogs(client: KubernetesClient, key: ObjectKey, options: PodLogOptions = {}): Promise<ByteStream> {
  const { signal, follow, ...query } = options;
  return client
    .resource(POD)
    .subresource('log')
    .stream(key, {
      query: { ...query, ...(follow ? { follow } : {}) },
      ...(follow ? { longRunning: true } : {}),
      ...(signal ? { signal } : {}),
    });
}
