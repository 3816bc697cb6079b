import type { Draft } from '../../registry/strategy.ts';
import { webhookFault } from '../../webhooks/webhook-fault.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { keepManagedFieldsValid } from './managed-fields-check.ts';
import { convertBody, requestVersion, type Version, type VersionedObjects } from './reviewed-request.ts';
import { viewIn } from './validating-webhooks.ts';

/** A request's objects as they pass through webhooks or policies that use different versions. */
export class MutatingReview {
  readonly attributes: AdmissionAttributes;
  #version: Version;
  #objects: VersionedObjects;
  #dirty = false;

  constructor(attributes: AdmissionAttributes) {
    this.attributes = attributes;
    this.#version = requestVersion(attributes);
    this.#objects = attributes;
  }

  get objects(): VersionedObjects {
    return this.#objects;
  }

  /** Converts the current objects to a version. */
  async in(version: Version): Promise<VersionedObjects> {
    this.#objects = await viewIn(version, this.#version, this.#objects);
    this.#version = version;
    return this.#objects;
  }

  /** Stores the result of a webhook or policy, if there is one. Returns true if the object changed. */
  take(made: { readonly object: Draft; readonly changed: boolean } | undefined, version: Version): boolean {
    if (made === undefined) return false;
    this.#objects = { object: made.object, oldObject: this.#objects.oldObject };
    this.#version = version;
    this.#dirty = true;
    return made.changed;
  }

  /** Copies the result into the request's own object. */
  async finish(): Promise<void> {
    const { object: target } = this.attributes;
    const { object } = this.#objects;
    if (!this.#dirty || target === undefined || object === undefined) return;
    const own = requestVersion(this.attributes);
    const before = target.metadata?.['managedFields'];
    let result: Draft;
    try {
      result = await convertBody(object, this.#version, own);
    } catch (cause) {
      throw webhookFault(cause instanceof Error ? cause.message : String(cause), cause);
    }
    for (const field of Object.keys(target)) delete target[field];
    Object.assign(target, result);
    keepManagedFieldsValid(target, { before, warn: this.attributes.warn });
  }
}
