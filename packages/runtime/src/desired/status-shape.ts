import { apiVersionOf, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { UndeclaredStatusFieldError } from '../reconcile/undeclared-status-field-error.ts';

/** The status fields that the framework fills in. */
const derived = ['conditions', 'observedGeneration'] as const;

/** Schemas to add to `status.properties` of a CRD, each as a line of YAML. */
const schemas = {
  observedGeneration: 'observedGeneration: { type: integer, format: int64 }',
  conditions:
    'conditions: { type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], items: { type: object, required: [type], properties: { type: { type: string } }, x-kubernetes-preserve-unknown-fields: true } }',
} as const;

/**
 * Tracks which of the derived status fields a kind's schema does not declare. The server rejects a whole status that
 * contains an undeclared field, so these fields are omitted.
 */
export class StatusShape {
  readonly #missing = new Set<string>();
  readonly #kind: string;

  constructor(kind: Kind<KubernetesObject> | undefined) {
    this.#kind = kind ? `${kind.kind} (${apiVersionOf(kind)})` : 'this kind';
  }

  /** Removes fields that the schema does not declare. */
  fit(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(status).filter(([member]) => !this.#missing.has(member)));
  }

  /**
   * Records the undeclared field that a rejection names. Returns true if the field is new, so that a retry without it
   * may succeed.
   */
  learn(error: unknown, log: Logger): boolean {
    if (!(error instanceof UndeclaredStatusFieldError)) return false;
    const member = derived.find((each) => error.fields.includes(`.status.${each}`));
    if (member === undefined || this.#missing.has(member)) return false;
    this.#missing.add(member);
    log.warn(
      `the CustomResourceDefinition of ${this.#kind} does not declare status.${member}, so the operator does not write this field; add the schema to the properties of "status" and restart the operator`,
      { event: logEvents.statusFieldOmitted, member: `status.${member}`, schema: schemas[member] },
    );
    return true;
  }
}
