import {
  isDeleting,
  type KubernetesObject,
  type ObjectMeta,
  StatusError,
  type Stored,
  setControllerReference,
} from '@kubewright/apimachinery';
import { Pod, type PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { RequestContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { createObject, deleteObject } from '../object-writes.ts';

/** Builds a pod from a template, with `owner` as its controller. */
export function podFromTemplate(template: PodTemplateSpec | undefined, owner: Stored<KubernetesObject>): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const metadata: ObjectMeta = {
    generateName: podNamePrefix(owner.metadata.name),
    ...defined({ namespace: owner.metadata.namespace, labels, annotations, finalizers }),
  };
  const pod = Pod({ metadata, ...defined({ spec: template?.spec }) });
  return setControllerReference(pod, owner);
}

/** Returns the prefix of generated pod names. An owner name of maximum length leaves no room for a separator. */
function podNamePrefix(name: string): string {
  return name.length > 252 ? name : `${name}-`;
}

/** Creates and deletes pods for an owner, and records the results as events. */
export class PodControl {
  readonly #events: CoreEventRecorder;

  constructor(events: CoreEventRecorder) {
    this.#events = events;
  }

  /**
   * Creates a pod.
   *
   * @throws StatusError if the server rejects the pod. Unless the namespace is terminating, the error is also recorded as an
   * event on the owner.
   */
  async create(
    ctx: RequestContext,
    { pod, owner }: { readonly pod: Pod; readonly owner: Stored<KubernetesObject> },
  ): Promise<Pod> {
    try {
      const created = await createObject(ctx, { kind: Pod, object: pod });
      const message = `Created pod: ${created.metadata.name}`;
      this.#events.record(ctx, { about: owner, reason: 'SuccessfulCreate', message });
      return created;
    } catch (error) {
      if (!isNamespaceTerminating(error)) {
        const message = `Error creating: ${messageOf(error)}`;
        this.#events.record(ctx, { about: owner, type: 'Warning', reason: 'FailedCreate', message });
      }
      throw error;
    }
  }

  /**
   * Deletes a pod unless it is already being deleted.
   *
   * @throws StatusError if the server rejects the request.
   */
  async delete(
    ctx: RequestContext,
    { pod, owner }: { readonly pod: Stored<Pod>; readonly owner: Stored<KubernetesObject> },
  ): Promise<void> {
    if (isDeleting(pod)) return;
    const { name } = pod.metadata;
    try {
      if (!(await deleteObject(ctx, { kind: Pod, object: pod }))) return;
      this.#events.record(ctx, { about: owner, reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
    } catch (error) {
      const message = `Error deleting: ${messageOf(error)}`;
      this.#events.record(ctx, { about: owner, type: 'Warning', reason: 'FailedDelete', message });
      throw error;
    }
  }
}

/** True if the server rejected a request because the namespace is terminating, so that a retry would not help. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  );
}

/** Returns an error's message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
