import { apiVersionOf, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { UndeclaredStatusFieldError } from '../reconcile/undeclared-status-field-error.ts';

/** The members that the framework fills in. */
const derived = ['conditions', 'observedGeneration'] as const;

/** Schemas to add to `status.properties` of a CRD, each as a line of YAML. */
const schemas = {
  observedGeneration: 'observedGeneration: { type: integer, format: int64 }',
  conditions:
    'conditions: { type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], items: { type: object, required: [type], properties: { type: { type: string } }, x-kubernetes-preserve-unknown-fields: true } }',
} as const;

/**
 * Tracks which derived members a kind's schema lacks, because the server rejects the whole status if it contains an
 * undeclared member.
 */
export class StatusShape {
  readonly #missing = new Set<string>();
  readonly #kind: string;

  constructor(kind: Kind<KubernetesObject> | undefined) {
    this.#kind = kind ? `${kind.kind} (${apiVersionOf(kind)})` : 'this kind';
  }

  /** Removes members that the schema lacks. */
  fit(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(status).filter(([member]) => !this.#missing.has(member)));
  }

  /**
   * Records the members named in a rejection. Returns true if a retry may succeed because a new member was recorded.
   */
  learn(error: unknown, log: Logger): boolean {
    if (!(error instanceof UndeclaredStatusFieldError)) return false;
    const member = derived.find((each) => error.fields.includes(`.status.${each}`));
    if (member === undefined || this.#missing.has(member)) return false;
    this.#missing.add(member);
    log.warn(
      `the schema of ${this.#kind} has no status.${member}: the field is omitted; to keep it, add this schema to the properties of "status" in the CustomResourceDefinition and restart`,
      { event: logEvents.statusFieldOmitted, member: `status.${member}`, schema: schemas[member] },
    );
    return true;
  }
}
