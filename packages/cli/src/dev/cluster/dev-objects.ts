import { isNotFound, type UnstructuredObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { Patch } from '@kubewright/client';
import { isAdmission, isConverted } from '../../render/webhook-objects.ts';
import { isDelegated, serviceOf } from '../../target/api-services.ts';
import { applyObjects, deleteObjects, isUnknownKind, kindOf, type Target } from '../../target/apply-objects.ts';
import { injection } from '../../webhooks/local-objects.ts';

/** Annotation of the webhook configurations that `dev` creates. */
export const ownerAnnotation = 'kubewright.dev/dev-owner';

/**
 * The objects that `dev` applies to an existing cluster. At the end, objects that it created are deleted. Objects that
 * existed before stay. Objects that were redirected to this machine point to their original servers again.
 */
export class DevObjects {
  readonly #target: Target;
  readonly #owner: string;
  readonly #seen = new Set<string>();
  #made: readonly UnstructuredObject[] = [];
  #redirected: readonly RedirectedObject[] = [];

  /** @param options - `owner`: identifies this machine and project among the developers who share the cluster. */
  constructor(target: Target, { owner }: { readonly owner: string }) {
    this.#target = target;
    this.#owner = owner;
  }

  /** Kinds that did not exist before `dev` created them. */
  get kinds(): readonly UnstructuredObject[] {
    return this.#made.filter(({ kind }) => kind === 'CustomResourceDefinition');
  }

  /** Applies an object in its local form; `original` is the project's version of the object. */
  async apply(object: UnstructuredObject, original: UnstructuredObject): Promise<void> {
    const key = keyOf(object);
    if (!this.#seen.has(key)) {
      const former = await this.#get(object);
      const isOurs = former === undefined || this.#isLeftOver(former, object);
      // An apply would keep fields that are no longer set.
      if (former && isOurs) await deleteObjects(this.#target, [former]);
      if (isOurs) this.#made = [...this.#made, original];
      else if (object !== original) await this.#redirect({ original, former });
      this.#seen.add(key);
    }
    if (this.#redirected.some((each) => keyOf(each.original) === key)) {
      // Use a patch, because an apply would keep the entries that other managers wrote for the same webhooks.
      await patch(object, redirect(object, callsOf(object)), this.#target);
      if (isAdmission(object) || isDelegated(object)) return;
    }
    await applyObjects(this.#target, [isAdmission(object) ? this.#owned(object) : object]);
  }

  /** Removes webhook configurations that are not among the given objects. */
  async keepOnly(objects: readonly UnstructuredObject[]): Promise<void> {
    const wanted = new Set(objects.map(keyOf));
    const isGone = (object: UnstructuredObject): boolean => isAdmission(object) && !wanted.has(keyOf(object));
    const gone = this.#made.filter(isGone);
    const freed = this.#redirected.filter(({ original }) => isGone(original));
    await deleteObjects(this.#target, gone);
    for (const each of freed) await restore(each, this.#target);
    this.#made = this.#made.filter((each) => !gone.includes(each));
    this.#redirected = this.#redirected.filter((each) => !freed.includes(each));
    for (const each of [...gone, ...freed.map(({ original }) => original)]) this.#seen.delete(keyOf(each));
  }

  /** Cleans up the cluster. Ctrl-C must not have aborted calls through `target`. */
  async leave(target: Target): Promise<void> {
    const failures: unknown[] = [];
    for (const each of this.#redirected)
      await restore(each, target).catch((error: unknown) => void failures.push(error));
    await deleteObjects(target, this.#made);
    if (failures.length > 0) throw failures[0];
  }

  /** True if an earlier `dev` of this project, which was killed, left the object behind. */
  #isLeftOver(former: UnstructuredObject, object: UnstructuredObject): boolean {
    if (isDelegated(object)) return serviceOf(former)?.name === serviceOf(object)?.name;
    return isAdmission(former) && former.metadata?.annotations?.[ownerAnnotation] === this.#owner;
  }

  #owned(object: UnstructuredObject): UnstructuredObject {
    const annotations = { ...object.metadata?.annotations, [ownerAnnotation]: this.#owner };
    return { ...object, metadata: { ...object.metadata, annotations } };
  }

  async #redirect(object: RedirectedObject): Promise<void> {
    this.#redirected = [...this.#redirected, object];
    const { original, former } = object;
    // cert-manager would keep writing the CA of the original servers.
    if (injectionOf(former) !== undefined) await patch(original, inject(null), this.#target);
  }

  async #get(object: UnstructuredObject): Promise<UnstructuredObject | undefined> {
    const { client, environment } = this.#target;
    const { name = '', namespace } = object.metadata ?? {};
    const key = { name, ...defined({ namespace }) };
    try {
      return await client.resource(await kindOf(client, object)).get(key, { signal: environment.signal });
    } catch (error) {
      if (isNotFound(error) || isUnknownKind(error)) return undefined;
      throw error;
    }
  }
}

/**
 * An existing object that was redirected: `former` is its state before `dev`, and `original` is the project's version.
 */
interface RedirectedObject {
  readonly original: UnstructuredObject;
  readonly former: UnstructuredObject;
}

interface WebhookCall {
  readonly clientConfig?: { readonly url?: string };
}

/** Returns the part of an object that selects the servers the API server calls. */
function callsOf(object: UnstructuredObject): unknown {
  if (isDelegated(object)) return object['spec'];
  if (isAdmission(object)) return object['webhooks'];
  return (object['spec'] as { readonly conversion?: unknown }).conversion ?? { strategy: 'None' };
}

/** Returns a patch that makes the API server call the given servers. */
function redirect(object: UnstructuredObject, calls: unknown): Patch {
  const path = isAdmission(object) ? '/webhooks' : isDelegated(object) ? '/spec' : '/spec/conversion';
  return { type: 'json', body: [{ op: 'add', path, value: calls }] };
}

/** Returns a patch that turns CA injection by cert-manager on, or off if `from` is null. */
function inject(from: string | null): Patch {
  return { type: 'merge', body: { metadata: { annotations: { [injection]: from } } } };
}

async function restore({ original, former }: RedirectedObject, target: Target): Promise<void> {
  // If the former conversion was left behind by an earlier dev, nothing serves its webhook. In this case, restore the
  // project's own conversion, so that an operator deployed later can serve it.
  const calls = callsOf(isConverted(former) && isDead(former) ? original : former);
  const from = injectionOf(former);
  try {
    await patch(original, redirect(original, calls), target);
    if (from !== undefined) await patch(original, inject(from), target);
  } catch (error) {
    // Another client has deleted the object in the meantime.
    if (!isNotFound(error)) throw error;
  }
}

async function patch(object: UnstructuredObject, change: Patch, { client, environment }: Target): Promise<void> {
  const resource = client.resource(await kindOf(client, object));
  await resource.patch({ name: object.metadata?.name ?? '' }, change, { signal: environment.signal });
}

function injectionOf({ metadata }: UnstructuredObject): string | undefined {
  return metadata?.annotations?.[injection];
}

function isDead(former: UnstructuredObject): boolean {
  const { webhook } = callsOf(former) as { readonly webhook?: WebhookCall };
  return webhook?.clientConfig?.url !== undefined;
}

/** Returns an object's kind, namespace and name. */
export function keyOf({ kind, metadata }: UnstructuredObject): string {
  return `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`;
}
