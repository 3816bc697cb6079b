import type { KubernetesClient } from '@kubewright/client';
import type { ChangedNamespaces, InformerCache } from '../cache/informer-cache.ts';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { ControllerParts } from '../controller/definition/controller-parts.ts';
import { KindResolver } from '../discovery/kind-resolver.ts';
import type { Logger } from '../log/logger.ts';
import { ControllerRunnable } from './added-controller.ts';
import { addable, type ControllerDefaults } from './controller-defaults.ts';
import { logOverlaps } from './controller-overlaps.ts';
import type { ManagerLifecycle } from './manager-lifecycle.ts';
import type { ManagerParts } from './manager-parts.ts';

/** The parts of a manager that added controllers use. */
export interface AddedControllersHost {
  readonly defaults: ControllerDefaults | undefined;
  /** The controllers that the manager was created with. */
  readonly declared: readonly ControllerDefinition[];
  readonly log: Logger;
  readonly lifecycle: ManagerLifecycle;
  makeCache(...args: Parameters<ManagerParts['makeCache']>): InformerCache;
  controllerParts(client: KubernetesClient): ControllerParts;
  /** Waits until a cache has synced, with the manager's time limit. */
  synced(cache: InformerCache, signal: AbortSignal): Promise<void>;
  /** Called once for each controller, after it has been removed. */
  removed(controller: ControllerRunnable): void;
}

/** The controllers that were added to a manager after it was created. */
export class AddedControllers {
  readonly #host: AddedControllersHost;
  readonly #byName = new Map<string, ControllerRunnable>();

  constructor(host: AddedControllersHost) {
    this.#host = host;
  }

  /** The definitions of the added controllers that were not removed. */
  get definitions(): readonly ControllerDefinition[] {
    return [...this.#byName.values()].map((each) => each.definition);
  }

  /** The informers that are currently running. */
  get informers(): InformerCache['informers'] {
    return [...this.#byName.values()].flatMap((each) => each.informers);
  }

  /**
   * Wraps a controller in a runnable and registers it with the manager through `register`.
   * @throws ManagerError (KW3007) if the name is taken, or the controller is `sharded`.
   */
  add(given: ControllerDefinition, register: (runnable: ControllerRunnable) => void): ControllerRunnable {
    const { defaults, declared, log, lifecycle } = this.#host;
    const others = [...declared, ...this.definitions];
    const definition = addable(given, { defaults, others });
    logOverlaps([...others, definition], log);
    // Each term has a new cache; this map keeps the changed namespaces across terms.
    const changedNamespaces: ChangedNamespaces = new Map();
    const runnable = new ControllerRunnable({
      definition,
      needLeaderElection: definition.needLeaderElection ?? true,
      makeParts: (client) => {
        const cache = this.#host.makeCache([definition], changedNamespaces);
        const following = cache.following(client);
        const kinds = new KindResolver({ cache, client: following });
        return { ...this.#host.controllerParts(following), cache, kinds };
      },
      managerStop: lifecycle.signal,
      synced: (cache, signal) => this.#host.synced(cache, signal),
      stopping: () => {
        const isManager = lifecycle.signal.aborted;
        return { budget: isManager ? lifecycle.budget : lifecycle.newBudget(), isManager };
      },
      removed: () => {
        this.#byName.delete(definition.name);
        this.#host.removed(runnable);
      },
    });
    register(runnable);
    this.#byName.set(definition.name, runnable);
    return runnable;
  }
}
