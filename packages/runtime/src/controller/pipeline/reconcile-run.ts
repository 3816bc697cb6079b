import type { Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { ReconcileRequest } from '../../handler/event-handler.ts';
import type { Logger } from '../../log/logger.ts';
import type { EventRecorder } from '../../recorder/event-recorder.ts';
import { ReconcileEvents } from '../../recorder/reconcile-events.ts';
import type { Story } from '../reports/reconcile-stories.ts';

/** Parts shared by the reconciles of one controller. */
export interface ReconcileRunParts {
  readonly log: Logger;
  readonly random: Random;
  readonly primary: Kind<KubernetesObject> | undefined;
  readonly recorderOf: (regarding: KubernetesObject | undefined) => EventRecorder;
}

/** One reconcile of a key, as it appears in logs and events. Its id and logger are created on first use. */
export class ReconcileRun {
  readonly key: string;
  readonly request: ReconcileRequest;
  readonly events: ReconcileEvents;
  readonly story: Story | undefined;
  readonly #parts: ReconcileRunParts;
  #reconcileID: string | undefined;
  #log: Logger | undefined;

  constructor(
    key: string,
    options: {
      readonly parts: ReconcileRunParts;
      readonly request: ReconcileRequest;
      readonly story: Story | undefined;
    },
  ) {
    this.key = key;
    this.request = options.request;
    this.events = new ReconcileEvents(options.parts.recorderOf);
    this.story = options.story;
    this.#parts = options.parts;
  }

  /** Unique per reconcile. */
  get reconcileID(): string {
    this.#reconcileID ??= this.#parts.random.uid();
    return this.#reconcileID;
  }

  get log(): Logger {
    this.#log ??= this.#parts.log.with(this.#logFields());
    return this.#log;
  }

  #logFields(): Record<string, unknown> {
    const { namespace = '', name } = this.request;
    const { primary } = this.#parts;
    return {
      ...(primary && { [primary.kind]: { name, namespace } }),
      namespace,
      name,
      reconcileID: this.reconcileID,
    };
  }
}
