import { apiVersionOf, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { UndeclaredStatusFieldError } from '../controller/undeclared-status-field-error.ts';
import type { Logger } from '../log/logger.ts';

/** The members that are filled in. */
const derived = ['conditions', 'observedGeneration'] as const;

/** What to add below `status.properties` of a definition, each a line of YAML. */
const schemas = {
  observedGeneration: 'observedGeneration: { type: integer, format: int64 }',
  conditions:
    'conditions: { type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], items: { type: object, required: [type], properties: { type: { type: string } }, x-kubernetes-preserve-unknown-fields: true } }',
} as const;

/** Knows which of the derived members a kind's schema has: a status with a member that it has not is refused whole. */
export class StatusShape {
  readonly #missing = new Set<string>();
  readonly #kind: string;

  constructor(kind: Kind<KubernetesObject> | undefined) {
    this.#kind = kind ? `${kind.kind} (${apiVersionOf(kind)})` : 'this kind';
  }

  /** Leaves out what the schema does not have. */
  fit(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(status).filter(([member]) => !this.#missing.has(member)));
  }

  /** Learns from a refusal; true if there was something to learn, so that another try may succeed. */
  learn(error: unknown, log: Logger): boolean {
    if (!(error instanceof UndeclaredStatusFieldError)) return false;
    const member = derived.find((each) => error.fields.includes(`.status.${each}`));
    if (member === undefined || this.#missing.has(member)) return false;
    this.#missing.add(member);
    log.warn(
      `the schema of ${this.#kind} has no status.${member}: it is left out from now on; to have it, add this to the properties of "status" in the CustomResourceDefinition, and start anew`,
      { member: `status.${member}`, schema: schemas[member] },
    );
    return true;
  }
}
