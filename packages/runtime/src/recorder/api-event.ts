import type { KubernetesObject, Random } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';

/** A reference to an object (core/v1 `ObjectReference`). */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** An event on the wire (events.k8s.io/v1 `Event`). */
export interface ApiEvent extends KubernetesObject {
  readonly eventTime: string;
  readonly type: string;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** Returns a reference to an object. */
export function objectReference(object: KubernetesObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...defined({ name, namespace, uid, resourceVersion }),
  };
}

/** Formats a time as the API's `MicroTime`. */
export function microTime(ms: number): string {
  const micros = Math.round(ms * 1_000);
  const date = new Date(Math.floor(micros / 1_000)).toISOString();
  return date.replace('Z', `${String(micros % 1_000).padStart(3, '0')}Z`);
}

/** Returns a unique event name derived from the object's name: the time in microseconds and some random bits, in hexadecimal. */
export function eventName(object: string, options: { readonly ms: number; readonly random: Random }): string {
  const chance = Math.floor(options.random.next() * 0x1000)
    .toString(16)
    .padStart(3, '0');
  const suffix = `.${Math.round(options.ms * 1_000).toString(16)}${chance}`;
  const stem = object
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, 253 - suffix.length);
  return stem.replace(/[^a-z0-9]+$/, '') + suffix;
}
