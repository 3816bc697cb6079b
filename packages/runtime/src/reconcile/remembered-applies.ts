import type { Clock, KubernetesObject } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { appliedMembers } from './applied-already.ts';
import { entryOf, isMap, type ManagerEntry } from './manager-entry.ts';

/** Maximum number of objects that are remembered, about 400 bytes each. */
const maxObjects = 10_000;
/**
 * How long a response is remembered, in milliseconds; limited because a new schema or webhook may keep a field that the
 * server dropped before.
 */
const lastsMs = 600_000;

/** The server's response to an apply. */
interface Response {
  /** Digest of the applied content. */
  readonly applied: string;
  readonly atMs: number;
  resourceVersion: string;
  /** Digest of the values and the field set that the apply left in the object. */
  result: string;
  /** True once `result` was computed from a cached object, which may lack parts of the response. */
  isCached: boolean;
}

/**
 * Remembers applies whose result differs from what was sent, because the server drops an empty map or adds defaults
 * inside an atomic value. The managed fields do not show that repeating such an apply would change nothing, but the
 * first response does. A response is forgotten when the applied fields change, when the object is deleted, and after
 * ten minutes.
 */
export class RememberedApplies {
  readonly #clock: Clock;
  /** Responses by UID (ordered by last use) and manager. */
  readonly #objects = new Map<string, Map<string, Response>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Reports whether a response has shown that applying `wanted` to this state of the object changes nothing. */
  has(wanted: KubernetesObject, live: KubernetesObject, manager: ManagerEntry): boolean {
    const { uid = '', resourceVersion = '' } = live.metadata;
    const responses = this.#objects.get(uid);
    const response = responses?.get(nameOf(manager));
    if (!responses || !response) return false;
    const isOld = this.#clock.monotonic() - response.atMs >= lastsMs;
    if (isOld || response.applied !== digestOf(appliedMembers(wanted))) return false;
    if (response.resourceVersion !== resourceVersion || !response.isCached) {
      const result = resultOf(wanted, live, manager);
      if (response.resourceVersion !== resourceVersion && response.result !== result) return false;
      Object.assign(response, { resourceVersion, result, isCached: true });
    }
    this.#keep(uid, responses);
    return true;
  }

  /** Remembers the response to an apply. */
  remember(wanted: KubernetesObject, stored: KubernetesObject, manager: ManagerEntry): void {
    const { uid = '', resourceVersion = '' } = stored.metadata;
    const responses = this.#objects.get(uid) ?? new Map<string, Response>();
    responses.set(nameOf(manager), {
      applied: digestOf(appliedMembers(wanted)),
      atMs: this.#clock.monotonic(),
      resourceVersion,
      result: resultOf(wanted, stored, manager),
      isCached: false,
    });
    this.#keep(uid, responses);
    if (this.#objects.size > maxObjects) this.forget(this.#objects.keys().next().value ?? '');
  }

  /** Drops the responses remembered for an object. */
  forget(uid: string): void {
    this.#objects.delete(uid);
  }

  #keep(uid: string, responses: Map<string, Response>): void {
    this.#objects.delete(uid);
    this.#objects.set(uid, responses);
  }
}

function nameOf({ fieldManager, subresource = '' }: ManagerEntry): string {
  return `${subresource} ${fieldManager}`;
}

/**
 * Returns a digest of the parts that the apply may have changed: the values of the applied fields, and the manager's
 * field set.
 */
function resultOf(wanted: KubernetesObject, live: KubernetesObject, manager: ManagerEntry): string {
  return digestOf([entryOf(live, manager)?.fieldsV1, valuesAt(appliedMembers(wanted), live)]);
}

/** Returns the values of the fields that `wanted` names. Lists are returned whole, because their elements may move. */
function valuesAt(wanted: unknown, live: unknown): unknown {
  if (!isMap(wanted) || (live !== undefined && !isMap(live))) return live;
  return Object.keys(wanted).map((key) =>
    valuesAt(wanted[key], live && Object.hasOwn(live, key) ? live[key] : undefined),
  );
}

function digestOf(value: unknown): string {
  // An import would load all of Node's cryptography at every start, taking 6 ms, before the first apply.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(stringifyJson(value)).digest('base64');
}
