import type { KubernetesObject } from '@kubewright/apimachinery';
import type { Logger } from '../log/logger.ts';

/**
 * Knows which of the derived members a kind's schema keeps. The server drops what a schema does not name, without a word;
 * writing it over and over would be a request for nothing each time.
 */
export class StatusShape {
  readonly #dropped = new Set<string>();

  /** Leaves out what the server would drop. */
  fit(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(status).filter(([member]) => !this.#dropped.has(member)));
  }

  /** Learns from what the server made of a status. */
  learn(
    written: Readonly<Record<string, unknown>>,
    options: { readonly answer: KubernetesObject; readonly log: Logger },
  ): void {
    const { status = {} } = options.answer as KubernetesObject & { readonly status?: object };
    for (const member of ['conditions', 'observedGeneration']) {
      if (written[member] === undefined || Object.hasOwn(status, member)) continue;
      this.#dropped.add(member);
      options.log.warn('the schema of this kind has no such member; it is left out from now on', {
        member: `status.${member}`,
      });
    }
  }
}
