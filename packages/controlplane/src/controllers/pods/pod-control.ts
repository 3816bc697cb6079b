import {
  isDeleting,
  type KubernetesObject,
  type ObjectMeta,
  StatusError,
  setControllerReference,
} from '@kubewright/apimachinery';
import { Pod, type PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { createObject, deleteObject } from '../object-writes.ts';

/** Makes the pod that a template describes, controlled by `owner`. */
export function podFromTemplate(template: PodTemplateSpec | undefined, owner: KubernetesObject): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const metadata: ObjectMeta = {
    generateName: podNamePrefix(owner.metadata.name ?? ''),
    ...(owner.metadata.namespace !== undefined && { namespace: owner.metadata.namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
  };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, ...(template?.spec && { spec: template.spec }) };
  return setControllerReference(pod, owner);
}

/** A pod's name must be valid as it will be: an owner's name of full length leaves no room for a suffix. */
function podNamePrefix(name: string): string {
  return name.length > 252 ? name : `${name}-`;
}

/** Creates and deletes pods for an owner and says so in events. */
export class PodControl {
  readonly #events: CoreEventRecorder;

  constructor(events: CoreEventRecorder) {
    this.#events = events;
  }

  /**
   * Creates a pod.
   *
   * @throws StatusError when the server refuses; written to the owner's events unless the namespace is going away.
   */
  async create(
    ctx: RequestContext,
    { pod, owner }: { readonly pod: Pod; readonly owner: KubernetesObject },
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
   * Deletes a pod unless that was asked for already.
   *
   * @throws StatusError when the server refuses.
   */
  async delete(
    ctx: RequestContext,
    { pod, owner }: { readonly pod: Pod; readonly owner: KubernetesObject },
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

/** True when the server refused because the namespace is being deleted: trying again is no use. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  );
}

/** A failure's message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
