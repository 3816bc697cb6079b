import { Buffer } from 'node:buffer';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { goJson } from '../go-json.ts';

const maxValueBytes = 10 * 1024;

/** Collects the audit annotations that one policy computes for all its bindings and parameters. */
export class PolicyAnnotations {
  readonly #values = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const cut = Buffer.from(value).subarray(0, maxValueBytes).toString();
    this.#values.set(key, (this.#values.get(key) ?? new Set()).add(cut));
  }

  publish(policy: string, { annotate }: AdmissionAttributes): void {
    for (const [key, values] of this.#values) annotate?.(`${policy}/${key}`, [...values].join(', '));
  }
}

/** Records a failed validation of a binding whose action is `Audit`. An audit event can hold only one failure. */
export function annotateFailure(
  { annotate }: AdmissionAttributes,
  failure: {
    readonly policy: string;
    readonly binding: string;
    readonly message: string;
    /** Index of the failed validation. */
    readonly index: number;
    readonly actions: readonly string[];
  },
): void {
  const { message, policy, binding, index, actions } = failure;
  const value = goJson([{ message, policy, binding, expressionIndex: index, validationActions: actions }]);
  annotate?.('validation.policy.admission.k8s.io/validation_failure', value);
}
