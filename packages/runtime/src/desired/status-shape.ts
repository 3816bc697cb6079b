import { StatusError } from '@kubewright/apimachinery';
import type { Logger } from '../log/logger.ts';

/** The members that are filled in. */
const derived = ['conditions', 'observedGeneration'] as const;

/** Knows which of the derived members a kind's schema has: a status with a member that it has not is refused whole. */
export class StatusShape {
  readonly #missing = new Set<string>();

  /** Leaves out what the schema does not have. */
  fit(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(status).filter(([member]) => !this.#missing.has(member)));
  }

  /** Learns from a refusal; true if there was something to learn, so that another try may succeed. */
  learn(error: unknown, log: Logger): boolean {
    if (!(error instanceof StatusError)) return false;
    const member = derived.find((each) => error.message.includes(`.status.${each}: field not declared in schema`));
    if (member === undefined || this.#missing.has(member)) return false;
    this.#missing.add(member);
    log.warn('the schema of this kind has no such member; it is left out from now on', { member: `status.${member}` });
    return true;
  }
}
