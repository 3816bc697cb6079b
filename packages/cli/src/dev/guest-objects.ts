import { isNotFound, type UnstructuredObject } from '@kubewright/apimachinery';
import type { Patch } from '@kubewright/client';
import { applyObjects, deleteObjects, isUnknownKind, kindOf, type Target } from '../deploy/apply-objects.ts';
import { isAdmission, isConverted } from '../deploy/webhook-readiness.ts';
import { injection } from './webhooks/local-objects.ts';

/**
 * What `dev` has in a cluster that is there already. In the end, what was made goes; what was there stays, and calls of the
 * API server that led here lead again where they did.
 */
export class GuestObjects {
  readonly #target: Target;
  readonly #seen = new Set<string>();
  #made: readonly UnstructuredObject[] = [];
  #diverted: readonly Diverted[] = [];

  constructor(target: Target) {
    this.#target = target;
  }

  /** Kinds that were not there before. */
  get kinds(): readonly UnstructuredObject[] {
    return this.#made.filter(({ kind }) => kind === 'CustomResourceDefinition');
  }

  /** Applies an object as it is to be here; `original` is what the project says of it. */
  async apply(object: UnstructuredObject, original: UnstructuredObject): Promise<void> {
    const key = keyOf(object);
    if (!this.#seen.has(key)) {
      const former = await this.#get(object);
      const isOurs = former === undefined || isLeftOver(former);
      // An apply would keep what is not asked for any more.
      if (former && isOurs) await deleteObjects(this.#target, [former]);
      if (isOurs) this.#made = [...this.#made, original];
      else if (object !== original) await this.#divert({ original, former });
      this.#seen.add(key);
    }
    if (this.#diverted.some((each) => keyOf(each.original) === key)) {
      // Not by an apply: what others have written of the same webhooks would stay beside it.
      await patch(object, lead(object, callsOf(object)), this.#target);
      if (isAdmission(object)) return;
    }
    await applyObjects(this.#target, [object]);
  }

  /** Takes away what asks for webhooks that are not among all that there is to apply. */
  async keepOnly(objects: readonly UnstructuredObject[]): Promise<void> {
    const wanted = new Set(objects.map(keyOf));
    const isGone = (object: UnstructuredObject): boolean => isAdmission(object) && !wanted.has(keyOf(object));
    const gone = this.#made.filter(isGone);
    const freed = this.#diverted.filter(({ original }) => isGone(original));
    await deleteObjects(this.#target, gone);
    for (const each of freed) await leadBack(each, this.#target);
    this.#made = this.#made.filter((each) => !gone.includes(each));
    this.#diverted = this.#diverted.filter((each) => !freed.includes(each));
    for (const each of [...gone, ...freed.map(({ original }) => original)]) this.#seen.delete(keyOf(each));
  }

  /** Leaves the cluster; `target` is one that still works after Ctrl-C. */
  async leave(target: Target): Promise<void> {
    const failures: unknown[] = [];
    for (const each of this.#diverted)
      await leadBack(each, target).catch((error: unknown) => void failures.push(error));
    await deleteObjects(target, this.#made);
    if (failures.length > 0) throw failures[0];
  }

  async #divert(diverted: Diverted): Promise<void> {
    this.#diverted = [...this.#diverted, diverted];
    const { original, former } = diverted;
    // cert-manager would go on writing the authority of those who were called before.
    if (injectionOf(former) !== undefined) await patch(original, inject(null), this.#target);
  }

  async #get(object: UnstructuredObject): Promise<UnstructuredObject | undefined> {
    const { client, surroundings } = this.#target;
    const { name = '', namespace } = object.metadata ?? {};
    const key = { name, ...(namespace !== undefined && { namespace }) };
    try {
      return await client.resource(await kindOf(client, object)).get(key, { signal: surroundings.signal });
    } catch (error) {
      if (isNotFound(error) || isUnknownKind(error)) return undefined;
      throw error;
    }
  }
}

/** What led elsewhere before. */
interface Diverted {
  readonly original: UnstructuredObject;
  readonly former: UnstructuredObject;
}

interface Asking {
  readonly clientConfig?: { readonly url?: string };
}

/** An earlier `dev` that was killed has left it behind: nobody answers there. */
function isLeftOver(former: UnstructuredObject): boolean {
  if (!isAdmission(former)) return false;
  const { webhooks = [] } = former as { readonly webhooks?: readonly Asking[] };
  return webhooks.length > 0 && webhooks.every(({ clientConfig }) => clientConfig?.url !== undefined);
}

/** What of an object says whom the API server calls. */
function callsOf(object: UnstructuredObject): unknown {
  if (isAdmission(object)) return object['webhooks'];
  return (object['spec'] as { readonly conversion?: unknown }).conversion ?? { strategy: 'None' };
}

/** Has the API server call others. */
function lead(object: UnstructuredObject, calls: unknown): Patch {
  const path = isAdmission(object) ? '/webhooks' : '/spec/conversion';
  return { type: 'json', body: [{ op: 'add', path, value: calls }] };
}

/** Has cert-manager write its authority, or leave that. */
function inject(from: string | null): Patch {
  return { type: 'merge', body: { metadata: { annotations: { [injection]: from } } } };
}

async function leadBack({ original, former }: Diverted, target: Target): Promise<void> {
  // What an earlier dev has left behind is answered by nobody; the operator that is deployed one day serves what the project says.
  const calls = callsOf(isConverted(former) && isDead(former) ? original : former);
  const from = injectionOf(former);
  try {
    await patch(original, lead(original, calls), target);
    if (from !== undefined) await patch(original, inject(from), target);
  } catch (error) {
    // Somebody has deleted it meanwhile.
    if (!isNotFound(error)) throw error;
  }
}

async function patch(object: UnstructuredObject, change: Patch, { client, surroundings }: Target): Promise<void> {
  const resource = client.resource(await kindOf(client, object));
  await resource.patch({ name: object.metadata?.name ?? '' }, change, { signal: surroundings.signal });
}

function injectionOf({ metadata }: UnstructuredObject): string | undefined {
  return metadata?.annotations?.[injection];
}

function isDead(former: UnstructuredObject): boolean {
  const { webhook } = callsOf(former) as { readonly webhook?: Asking };
  return webhook?.clientConfig?.url !== undefined;
}

function keyOf({ kind, metadata }: UnstructuredObject): string {
  return `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`;
}
