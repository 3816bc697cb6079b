import { apiVersionOf, badRequest, type KubernetesObject, StatusError } from '@kubewright/apimachinery';
import { defined, FieldSet, type JsonObject } from '@kubewright/apimachinery/internal';
import { ApplyConflictError } from '../apply/apply-conflict-error.ts';
import { applyPatch, checkConfiguration } from '../apply/apply-patch.ts';
import { ApplyRequestError } from '../apply/apply-request-error.ts';
import { applyTypeOf, type KindType } from '../apply/apply-type.ts';
import { checkApplied } from '../apply/check-applied.ts';
import { ElementError } from '../apply/list-elements.ts';
import type { Ownership } from '../apply/ownership.ts';
import { trackUpdate } from '../apply/track-update.ts';
import { applyConflict } from '../http/failures.ts';
import { AwaitedConversions } from './awaited-conversions.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Draft, Strategy } from './strategy.ts';

/** A write to record in the managed fields: its manager, subresource and time. */
export interface OwnershipChange {
  readonly manager: string;
  readonly subresource: string;
  /** A timestamp in the API's format. */
  readonly time: string;
}

/** A server-side apply: a write that can conflict with other managers. */
type ApplyChange = OwnershipChange & { readonly force: boolean };

/** The result of an apply. */
interface Applied {
  readonly draft: Draft;
  readonly changed: boolean;
}

type Resets = NonNullable<Strategy['resets']>;

const spec: Resets = [['spec']];
const resetStatus: Resets = [['status']];
const specAndMetadata: Resets = [['spec'], ['metadata']];

/** Returns the fields that a write through a subresource cannot own. An empty `subresource` is the main endpoint. */
function resetsOf({ custom, strategy, subresources }: ResourceDefinition, subresource: string): Resets {
  const main = strategy.resets ?? (subresources.get('status')?.behavior.type === 'status' ? resetStatus : []);
  const behavior = subresources.get(subresource)?.behavior;
  if (behavior?.type !== 'status') return main;
  if (behavior.strategy.resets) return behavior.strategy.resets;
  // Subresources of type `status` with another name, such as a namespace's finalize, change the spec.
  if (subresource !== 'status') return main;
  return custom ? specAndMetadata : spec;
}

/** Maintains `metadata.managedFields` of one resource: which manager owns which fields. */
export class FieldOwnership {
  readonly #definition: ResourceDefinition;
  readonly #shared: Ownership;
  readonly #endpoints = new Map<string, Ownership>();
  readonly #conversions: AwaitedConversions | undefined;

  constructor(definition: ResourceDefinition) {
    this.#definition = definition;
    const apiVersion = apiVersionOf(definition);
    // The type table holds zero values as plain JSON.
    const zero = definition.zero as KindType['zero'] | undefined;
    const type = applyTypeOf(definition.schema, { typed: !definition.custom, zero });
    const { converter } = definition;
    this.#conversions = converter && new AwaitedConversions(definition, converter);
    this.#shared = { type, apiVersion, otherVersion: otherVersions(definition, type) };
  }

  /** Records a write other than an apply in `draft.metadata.managedFields`. Synchronous unless a conversion is needed. */
  update(live: KubernetesObject | undefined, draft: Draft, change: OwnershipChange): void | Promise<void> {
    // An object that violates its schema cannot be compared, so its fields have no owners until the next valid write.
    if (this.#definition.custom && !isTrackable(this.#shared.type, draft)) {
      delete draft.metadata['managedFields'];
      return;
    }
    if (this.#definition.custom) dropEmptyMetadata(draft);
    if (this.#conversions === undefined || live === undefined) {
      setEntries(draft, this.#entriesOrNone(live, draft, change));
      return;
    }
    // If a conversion fails, drop all ownership instead of rejecting the write, as upstream does.
    return this.#conversions
      .run((otherVersion) => this.#entries(live, draft, { ...change, otherVersion }))
      .catch(() => [])
      .then((entries) => setEntries(draft, entries));
  }

  /** Returns the new entries. Like upstream, returns none if a list element lacks its merge keys. */
  #entriesOrNone(live: KubernetesObject | undefined, draft: Draft, change: OwnershipChange): readonly unknown[] {
    try {
      return this.#entries(live, draft, change);
    } catch (error) {
      if (error instanceof ElementError) return [];
      throw error;
    }
  }

  #entries(
    live: KubernetesObject | undefined,
    draft: Draft,
    change: OwnershipChange & Pick<Ownership, 'otherVersion'>,
  ): readonly unknown[] {
    const { manager, subresource, time, otherVersion } = change;
    return trackUpdate({
      ...this.#ownership(subresource),
      ...defined({ otherVersion }),
      live: live as unknown as JsonObject | undefined,
      object: draft,
      manager,
      subresource,
      now: time,
    });
  }

  /**
   * Checks that a configuration matches the kind's type.
   *
   * @throws StatusError 500, as upstream
   */
  check(applied: JsonObject): void {
    try {
      checkConfiguration(this.#shared.type, applied);
    } catch (error) {
      throw translated(error);
    }
  }

  /**
   * Applies a configuration. Returns a draft with updated managed fields that shares no structure with `live`.
   *
   * @throws StatusError 400 if the configuration is invalid, 409 with one cause for each conflicting field
   */
  apply(live: KubernetesObject | undefined, applied: JsonObject, change: ApplyChange): Applied | Promise<Applied> {
    if (this.#conversions === undefined || live === undefined) return this.#apply(live, applied, change);
    return this.#conversions.run((otherVersion) => this.#apply(live, applied, { ...change, otherVersion }));
  }

  #apply(
    live: KubernetesObject | undefined,
    applied: JsonObject,
    change: ApplyChange & Pick<Ownership, 'otherVersion'>,
  ): Applied {
    const { manager, subresource, time, force, otherVersion } = change;
    try {
      const { object, managedFields, changed } = applyPatch({
        ...this.#ownership(subresource),
        ...defined({ otherVersion }),
        live: live as unknown as JsonObject | undefined,
        applied,
        manager,
        force,
        subresource,
        now: time,
      });
      // Copy it: the merged object shares structure with the stored object, and the draft is modified.
      const draft = structuredCopy(object) as Draft;
      draft.metadata ??= {};
      setEntries(draft, managedFields);
      return { draft, changed };
    } catch (error) {
      throw translated(error);
    }
  }

  #ownership(subresource: string): Ownership {
    let ownership = this.#endpoints.get(subresource);
    if (ownership === undefined) {
      const paths = resetsOf(this.#definition, subresource).map((path) => path.map((field) => `f:${field}`));
      ownership = paths.length === 0 ? this.#shared : { ...this.#shared, resetFields: FieldSet.of(...paths) };
      this.#endpoints.set(subresource, ownership);
    }
    return ownership;
  }
}

function setEntries(draft: Draft, entries: readonly unknown[]): void {
  if (entries.length > 0) draft.metadata['managedFields'] = entries;
  else delete draft.metadata['managedFields'];
}

/** Removes empty maps and lists from the metadata, which upstream's Go type omits. */
function dropEmptyMetadata({ metadata }: Draft): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences']) {
    const value = metadata[field];
    if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) delete metadata[field];
  }
}

function isTrackable(type: KindType, draft: Draft): boolean {
  const { managedFields: _, ...metadata } = draft.metadata;
  const faults = checkApplied(type, { ...draft, metadata })?.split('\n') ?? [];
  return faults.every((fault) => fault === 'errors:' || fault.includes('duplicate entries'));
}

/**
 * Returns a function that looks up a kind's other versions, for kinds without a converter. All versions of the group
 * share the type and need no conversion; versions of other groups are not tracked.
 */
function otherVersions(definition: ResourceDefinition, type: KindType): Ownership['otherVersion'] {
  const same = (object: unknown): unknown => object;
  const prefix = definition.group === '' ? '' : `${definition.group}/`;
  return (apiVersion) =>
    apiVersion.startsWith(prefix) && apiVersion.includes('/') === (prefix !== '')
      ? { type, convert: same, convertBack: same }
      : undefined;
}

function translated(error: unknown): unknown {
  if (error instanceof ApplyConflictError) return applyConflict(error.message, error.causes);
  if (!(error instanceof ApplyRequestError)) return error;
  if (error.httpStatus === 400) return badRequest(error.message, { cause: error });
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: error.httpStatus } as const;
  return new StatusError({ ...status, message: error.message }, { cause: error });
}

/** Copies plain JSON, several times faster than `structuredClone`. */
function structuredCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(structuredCopy);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = structuredCopy((value as JsonObject)[key]);
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
    else copy[key] = item;
  }
  return copy;
}
