import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Event, Pod } from '@kubewright/apimachinery/core/v1';
import { progressOf } from './progress.ts';
import type { Step } from './steps.ts';

/** One step from a request to running pods. */
export interface Hop {
  /** Timestamp with second or microsecond precision, as stored by the cluster. */
  readonly time: string;
  /** The field manager, or the reporter of an event. */
  readonly component: string;
  /** `ReplicaSet web-5d4f` */
  readonly object: string;
  /** The version of the object that the component read or wrote; empty if the cluster has not kept it. */
  readonly resourceVersion: string;
  readonly what: string;
  /** The number of the step in the request flow; only with `--steps`. */
  readonly step?: Step | undefined;
}

/** An object of a workload. */
export interface TracedObject {
  readonly object: Stored<KubernetesObject>;
  /** 0 for the workload, 1 for its children, and so on. */
  readonly depth: number;
}

/** The fields that one client wrote. */
export type Entry = NonNullable<Stored<KubernetesObject>['metadata']['managedFields']>[number];

/** A hop and its position among the hops within the same second. */
type Ranked = Hop & { readonly rank: number };

/**
 * Returns the hops of a workload, in order of time. Most times are whole seconds; within a second, causes come before effects.
 *
 * An event names the version of the object that the component acted on. Managed fields show who created an object and who wrote it
 * last.
 */
export function hopsOf(objects: readonly TracedObject[], events: readonly Stored<Event>[]): readonly Hop[] {
  const hops = objects.flatMap(({ object, depth }) => {
    const own = events.filter(({ involvedObject }) => involvedObject.uid === object.metadata.uid);
    const rank = rankOf(depth);
    return [
      { ...creation(object, own), rank },
      // The scheduler writes its event after the binding, but the event names the version before the binding.
      ...own.map((event) => ({ ...reported(event, object), rank: rank + (event.reason === 'Scheduled' ? 0.4 : 1) })),
      ...bindings(object).map((hop) => ({ ...hop, rank: rank + 0.5 })),
      ...writes(object, depth),
    ];
  });
  return hops.sort(byTime).map(({ rank: _, ...hop }) => hop);
}

/** Returns the hop in which the API server stored the node of a pod. The cluster does not record the resource version of that write. */
function bindings(object: Stored<KubernetesObject>): readonly Hop[] {
  const { spec: { nodeName, schedulerName = '' } = {}, status } = object as Stored<Pod>;
  return (status?.conditions ?? [])
    .filter(({ type, status: is }) => type === 'PodScheduled' && is === 'True' && nodeName !== undefined)
    .map(({ lastTransitionTime: time = object.metadata.creationTimestamp }) => ({
      time,
      component: schedulerName,
      object: nameOf(object),
      resourceVersion: '',
      what: `bound to ${nodeName}`,
    }));
}

function creation(object: Stored<KubernetesObject>, events: readonly Stored<Event>[]): Hop {
  return {
    time: object.metadata.creationTimestamp,
    component: creatorOf(object)?.manager ?? '',
    object: nameOf(object),
    resourceVersion: createdVersion(object, events),
    what: 'created',
  };
}

/** Returns the version in the first event about an object; empty if the object was changed before that event. */
function createdVersion({ metadata }: Stored<KubernetesObject>, events: readonly Stored<Event>[]): string {
  const { creationTimestamp, managedFields = [], resourceVersion } = metadata;
  const [earliest] = events.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)));
  if (earliest === undefined) return managedFields.length <= 1 ? resourceVersion : '';
  const first = secondOf(timeOf(earliest));
  const isChanged = managedFields.some((entry) => {
    const second = secondOf(timeIn(entry));
    // A status written in the same second is an effect of the event.
    if (second <= secondOf(creationTimestamp)) return false;
    return isStatus(entry) ? second < first : second <= first;
  });
  return isChanged ? '' : (earliest.involvedObject.resourceVersion ?? '');
}

/** Returns the hop of an event about an object. */
export function reported(event: Stored<Event>, object: Stored<KubernetesObject>): Hop {
  const { involvedObject, reason, message = '', count = 1 } = event;
  return {
    time: timeOf(event),
    component: componentOf(event),
    object: nameOf(object),
    resourceVersion: involvedObject.resourceVersion ?? '',
    what: `${reason}: ${message.trim()}${count > 1 ? ` (${count} times)` : ''}`,
  };
}

/** Returns the last write of each manager after the creation. Only the very last write has the object's current version. */
function writes(object: Stored<KubernetesObject>, depth: number): readonly Ranked[] {
  const { creationTimestamp, managedFields = [], resourceVersion } = object.metadata;
  const first = creatorOf(object);
  const later = managedFields.filter((each) => !(each === first && each.time === creationTimestamp));
  const [last] = later.toSorted(
    (a, b) => timeIn(b).localeCompare(timeIn(a)) || Number(isStatus(b)) - Number(isStatus(a)),
  );
  return later.map((each) => ({
    time: each.time ?? creationTimestamp,
    component: each.manager ?? '',
    object: nameOf(object),
    resourceVersion: each === last ? resourceVersion : '',
    what: isStatus(each) ? `status: ${progressOf(object)}` : `updated ${fieldsOf(each)}`,
    rank: rankOfWrite(each, depth),
  }));
}

function rankOf(depth: number): number {
  return depth * 10;
}

/**
 * Returns the rank of a write within a second. A write that changes more than metadata ranks before the events that it
 * causes. Status writes rank last, those of pods before that of the workload.
 */
function rankOfWrite(entry: Entry, depth: number): number {
  if (isStatus(entry)) return 100 - depth;
  const isCause = Object.keys(entry.fieldsV1 ?? {}).some((field) => field !== 'f:metadata');
  return rankOf(depth) + (isCause ? 0.2 : 2);
}

/**
 * Returns the entry of the client that created an object: the entry with the most fields among the entries of the same
 * second.
 */
export function creatorOf({ metadata }: Stored<KubernetesObject>): Entry | undefined {
  const { creationTimestamp, managedFields = [] } = metadata;
  const main = managedFields.filter(({ subresource }) => !subresource);
  const size = ({ fieldsV1 }: Entry) => JSON.stringify(fieldsV1 ?? {}).length;
  const [first] = main.filter(({ time }) => time === creationTimestamp).sort((a, b) => size(b) - size(a));
  return first ?? main[0];
}

/** Returns the fields of an entry to the second level, such as `metadata.annotations`. */
export function fieldsOf({ fieldsV1 = {} }: Entry): string {
  const name = (key: string) => key.replace(/^f:/, '');
  const paths = Object.entries(fieldsV1).flatMap(([top, below]) =>
    Object.keys(below as object).map((key) => `${name(top)}.${name(key)}`),
  );
  return paths.join(', ');
}

function isStatus({ subresource }: Entry): boolean {
  return subresource === 'status';
}

function timeIn({ time = '' }: Entry): string {
  return time;
}

function secondOf(time: string): string {
  return time.slice(0, 19);
}

function byTime(a: Ranked, b: Ranked): number {
  return secondOf(a.time).localeCompare(secondOf(b.time)) || a.rank - b.rank || a.time.localeCompare(b.time);
}

function componentOf({ reportingComponent, source }: Stored<Event>): string {
  return reportingComponent || source?.component || '';
}

function timeOf({ eventTime, firstTimestamp, metadata }: Stored<Event>): string {
  return eventTime ?? firstTimestamp ?? metadata.creationTimestamp;
}

/** Returns the kind and name of an object. */
export function nameOf({ kind, metadata }: Stored<KubernetesObject>): string {
  return `${kind} ${metadata.name}`;
}
