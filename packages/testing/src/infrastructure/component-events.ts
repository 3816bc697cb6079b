import type { KubernetesObject } from '@kubewright/apimachinery';
import { Event } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';

/** An event as a component of the cluster writes it. */
export interface ComponentEvent {
  readonly component: string;
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Writes an event about an object. */
export async function writeEvent(
  client: KubernetesClient,
  {
    object,
    nowMs,
    event,
  }: { readonly object: KubernetesObject; readonly nowMs: number; readonly event: ComponentEvent },
): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const { name = '', namespace = 'default', uid, resourceVersion } = metadata;
  const { component, type = 'Normal', reason, message } = event;
  const time = formatTime(nowMs);
  await client.resource(Event).create(
    Event({
      metadata: { generateName: `${name}-`, namespace },
      involvedObject: {
        ...defined({ apiVersion, kind, uid, resourceVersion }),
        name,
        namespace,
      },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    }),
  );
}
