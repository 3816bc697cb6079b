import { forbidden, type StatusError } from '@kubewright/apimachinery';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import type { ReadObject } from '../object-reader.ts';

/** A write that a node asks for. */
export interface NodeWrite {
  /** The node's name. */
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly read: ReadObject;
}

/** The 403 of a write that a node may not do. */
export function refusal({ attributes }: NodeWrite, why: string): StatusError {
  const { definition, name, object } = attributes;
  return forbidden(definition, name || (object?.metadata.generateName ?? ''), why);
}

/** A text in double quotes, as Go's `%q` shows it. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
