import type { KubernetesObject } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { RequestContext } from '../reconcile/reconcile.ts';

type Context = Pick<RequestContext, 'log' | 'events'>;

/** Logs and records the creation of a child. Plain data, such as a Secret or a ConfigMap, gets no event. */
export function reportCreated(child: KubernetesObject, { log, events }: Context): void {
  const kind = child.kind.toLowerCase();
  log.info(`created ${kind}`, {
    event: logEvents.childCreated,
    ...(isData(child) ? { [kind]: child.metadata.name } : imageOf(child)),
  });
  if (isData(child)) return;
  const note = `Created ${kind} ${child.metadata.name}`;
  events.record({ reason: `${child.kind}Created`, action: `Create${child.kind}`, note, related: child });
}

/** Logs and records the deletion of a child that is no longer desired. */
export function reportDeleted(child: KubernetesObject, { log, events }: Context): void {
  const kind = child.kind.toLowerCase();
  log.info(`deleted ${kind}: no longer desired`, { event: logEvents.childDeleted, [kind]: child.metadata.name });
  if (isData(child)) return;
  const note = `Deleted ${kind} ${child.metadata.name}`;
  events.record({ reason: `${child.kind}Deleted`, action: `Delete${child.kind}`, note, related: child });
}

/** Records that the server rejected a child. */
export function reportRejected(
  child: KubernetesObject,
  options: { readonly context: Context; readonly rejected: { readonly reason: string; readonly message: string } },
): void {
  const { context, rejected } = options;
  const action = `Apply${child.kind}`;
  context.events.record({ type: 'Warning', reason: `${child.kind}Rejected`, action, note: rejected.message });
}

/** Logs a change of the phase: the status field `phase`, or a field whose name ends in `Phase`. */
export function reportPhase(
  { before, after }: { readonly before: KubernetesObject; readonly after: KubernetesObject },
  { log }: Context,
): void {
  const now = phaseOf(after);
  if (now !== undefined && now !== phaseOf(before))
    log.info('phase changed', { event: logEvents.phaseChanged, phase: now });
}

function phaseOf(object: KubernetesObject): string | undefined {
  const { status = {} } = object as KubernetesObject & { readonly status?: object };
  const found = Object.entries(status).find(([member]) => member === 'phase' || member.endsWith('Phase'));
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

/** Reports whether the object is plain data, without a spec. */
function isData(object: KubernetesObject): boolean {
  return !('spec' in object);
}

/** Returns the image of the first container, the most useful fact about a workload. */
function imageOf(object: KubernetesObject): { readonly image?: string } {
  interface PodLike {
    readonly containers?: readonly { readonly image?: string }[];
  }
  const { spec } = object as KubernetesObject & {
    readonly spec?: PodLike & { readonly template?: { readonly spec?: PodLike } };
  };
  const image = (spec?.containers ?? spec?.template?.spec?.containers)?.[0]?.image;
  return image === undefined ? {} : { image };
}
