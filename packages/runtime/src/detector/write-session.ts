import type { KubernetesObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Finding } from './finding.ts';
import { idOfObject } from './object-id.ts';
import type { WriteHistory } from './write-history.ts';

/** The reconcile whose writes are tracked. */
export interface WritingRun {
  readonly key: string;
  /** Client that looks for other writers; its calls are not tracked. */
  readonly unguarded: KubernetesClient;
  /** Called when a pattern is detected. */
  report(finding: Finding, written: KubernetesObject): void;
}

/** The writes of one reconcile. */
export class WriteSession {
  readonly run: WritingRun;
  readonly history: WriteHistory;
  /** True if only the key's own writes triggered the reconcile. */
  readonly selfTriggered: boolean;
  #intended: Map<string, KubernetesObject> | undefined;

  constructor(run: WritingRun, history: WriteHistory) {
    this.run = run;
    this.history = history;
    this.selfTriggered = history.begin();
  }

  /** Records the intended content of the next write to an object. */
  intends(object: KubernetesObject): void {
    this.#intended ??= new Map();
    this.#intended.set(idOfObject(object), object);
  }

  intended(id: string): KubernetesObject | undefined {
    return this.#intended?.get(id);
  }
}
