import type { KubernetesObject } from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { AdmissionAttributes } from '../admission/admission-plugin.ts';
import type { WriteCall } from './call.ts';
import { FieldOwnership } from './field-ownership.ts';
import type { RegistryServices } from './registry-services.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ServedForm } from './served-form.ts';
import type { Draft, StrategyContext } from './strategy.ts';

/**
 * Serves one resource in one version and leaves kind-specific decisions to its {@link Strategy}. The verbs are functions that
 * take a registry: `createObject`, `getObject`, `listObjects`, `updateObject`, `deleteObject`.
 */
export class Registry {
  readonly definition: ResourceDefinition;
  readonly services: RegistryServices;
  readonly form: ServedForm;
  readonly ownership: FieldOwnership;

  constructor(definition: ResourceDefinition, services: RegistryServices) {
    this.definition = definition;
    this.services = services;
    this.form = new ServedForm(definition);
    this.ownership = new FieldOwnership(definition);
  }

  /** Returns the storage key of an object, or the prefix of a collection if `name` is empty. */
  key(namespace: string, name: string): string {
    const prefix = this.definition.storagePrefix;
    return namespace === '' || this.definition.scope === 'Cluster' ? prefix + name : `${prefix}${namespace}/${name}`;
  }

  strategyContext(call: WriteCall): StrategyContext {
    const { clock, random } = this.services;
    return { user: call.user, clock, random, dryRun: call.dryRun, warn: call.warn };
  }

  admissionAttributes(
    call: WriteCall,
    change: {
      readonly operation: AdmissionAttributes['operation'];
      readonly object: Draft | undefined;
      readonly old: KubernetesObject | undefined;
    },
  ): AdmissionAttributes {
    return {
      operation: change.operation,
      definition: this.definition,
      subresource: call.subresource,
      namespace: call.namespace,
      name: call.collection ? '' : call.name || (change.object?.metadata?.name ?? ''),
      user: call.user,
      dryRun: call.dryRun,
      options: call.options ?? {},
      signal: call.signal,
      object: change.object,
      oldObject: change.old,
      warn: call.warn,
      annotate: call.annotate,
    };
  }

  /** Records field ownership for a write other than an apply. */
  trackUpdate(
    live: KubernetesObject | undefined,
    draft: Draft,
    { call, time }: { readonly call: WriteCall; readonly time: string },
  ): void | Promise<void> {
    const { manager, subresource } = call;
    return this.ownership.update(live, draft, { manager, subresource, time });
  }

  /** Drops `managedFields: [{}]`, which clients send to reset all managers. */
  stripEmptyManagedFields(draft: Draft): void {
    const entries = draft.metadata['managedFields'];
    if (Array.isArray(entries) && entries.length === 1 && Object.keys(entries[0] as object).length === 0) {
      delete draft.metadata['managedFields'];
    }
  }

  /** Keeps the old times in managed fields if nothing else changed, so that the write is a no-op. */
  keepUnchangedTimes(draft: Draft, live: KubernetesObject): void {
    const next = draft.metadata['managedFields'];
    const old = live.metadata.managedFields;
    if (!Array.isArray(next) || old === undefined || next.length !== old.length) return;
    const withoutTimes = (entries: readonly unknown[]): unknown[] =>
      entries.map((entry) => ({ ...(entry as object), time: undefined }));
    if (sameJson(next, old) || !sameJson(withoutTimes(next), withoutTimes(old))) return;
    const { metadata: _new, ...rest } = draft;
    const { metadata: _old, ...oldRest } = live as unknown as Draft;
    if (!sameJson(rest, oldRest)) return;
    const relevant = ({ managedFields: _m, resourceVersion: _r, ...others }: Draft['metadata']): unknown => others;
    if (sameJson(relevant(draft.metadata), relevant(live.metadata as Draft['metadata']))) {
      draft.metadata['managedFields'] = old as unknown[];
    }
  }
}
