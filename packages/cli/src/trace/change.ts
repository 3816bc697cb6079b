import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import { creatorOf, type Entry, fieldsOf, type Hop, nameOf } from './hops.ts';
import { progressOf } from './progress.ts';

const boundTo = 'bound to ';

/** A version of an object that a watch reported. */
export interface Change<T = Stored<KubernetesObject>> {
  /** The type is `FOUND` if the object existed when the watch started. */
  readonly type: 'FOUND' | 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

interface WithContent extends Stored<KubernetesObject> {
  readonly spec?: { readonly nodeName?: string; readonly schedulerName?: string };
  readonly status?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the hop that led from the previous version of an object to this one. `time` is the time at which the watch
 * reported the change.
 */
export function hopOfChange(
  { type, object }: Change,
  { previous, time }: { readonly previous: Stored<KubernetesObject> | undefined; readonly time: string },
): Hop {
  const hop = { time, object: nameOf(object), resourceVersion: object.metadata.resourceVersion };
  if (type === 'DELETED') return { ...hop, component: '', what: 'deleted' };
  if (previous === undefined) {
    const what = type === 'FOUND' ? `found: ${progressOf(object)}` : 'created';
    return { ...hop, component: creatorOf(object)?.manager ?? '', what };
  }
  const entry = writerOf(object, previous);
  const what = describe(object, { previous, entry });
  // A binding changes no managed fields.
  const { schedulerName } = (object as WithContent).spec ?? {};
  const component = what.startsWith(boundTo) ? schedulerName : entry?.manager;
  return { ...hop, component: component ?? '', what };
}

function describe(
  object: WithContent,
  { previous, entry }: { readonly previous: WithContent; readonly entry: Entry | undefined },
): string {
  if (object.metadata.deletionTimestamp && !previous.metadata.deletionTimestamp) return 'deletion requested';
  if (object.spec?.nodeName && !previous.spec?.nodeName) return `${boundTo}${object.spec.nodeName}`;
  if (hasNewStatus(object, previous)) return `status: ${describeStatus(object, previous)}`;
  return entry === undefined ? 'updated' : `updated ${fieldsOf(entry)}`;
}

/** Returns the progress. Lists the changed fields if the progress has not changed. */
function describeStatus(object: WithContent, previous: WithContent): string {
  const progress = progressOf(object);
  if (progress !== progressOf(previous)) return progress;
  const { status: now = {} } = object;
  const { status: before = {} } = previous;
  const fields = Object.keys({ ...before, ...now }).filter((key) => !isDeepStrictEqual(now[key], before[key]));
  return `${progress} (changed: ${fields.join(', ')})`;
}

/**
 * Returns the managed fields entry of the client that wrote this version. If a client writes twice within a second, the
 * second write leaves the entries unchanged. In this case, returns the newest entry of the part that changed: the
 * status, or the rest.
 */
function writerOf(object: WithContent, previous: WithContent): Entry | undefined {
  const known = new Set((previous.metadata.managedFields ?? []).map((each) => JSON.stringify(each)));
  const entries = object.metadata.managedFields ?? [];
  const changed = entries.filter((each) => !known.has(JSON.stringify(each)));
  const part = hasNewStatus(object, previous) ? 'status' : undefined;
  const candidates = changed.length > 0 ? changed : entries.filter(({ subresource }) => subresource === part);
  return candidates.toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0];
}

function hasNewStatus(object: WithContent, previous: WithContent): boolean {
  return !isDeepStrictEqual(object.status, previous.status);
}
