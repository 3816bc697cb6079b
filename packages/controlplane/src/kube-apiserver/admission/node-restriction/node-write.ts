import { forbidden, type StatusError } from '@kubewright/apimachinery';
import type { AdmissionAttributes } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';

/** A write requested by a node. */
export interface NodeWrite {
  /** The node's name. */
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly read: ReadObject;
}

/** Returns the error (403) for a write that a node may not make. */
export function rejection({ attributes }: NodeWrite, why: string): StatusError {
  const { definition, name, object } = attributes;
  return forbidden(definition, name || (object?.metadata.generateName ?? ''), why);
}

/** Quotes a string like Go's `%q`. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
