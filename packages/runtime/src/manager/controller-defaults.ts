import type { ControllerDefinition, ControllerSettings } from '../controller/controller-definition.ts';
import { ManagerError } from './manager-error.ts';

/** Settings of controllers that can be given for a whole manager; a controller's own go first. */
export interface ControllerDefaults
  extends Pick<
    ControllerSettings,
    | 'maxConcurrentReconciles'
    | 'reconcileTimeoutMs'
    | 'recoverPanic'
    | 'errorEvents'
    | 'needLeaderElection'
    | 'warmUp'
    | 'fenced'
  > {
  /**
   * Concurrent reconciles by `Kind.group` of the primary kind, such as `{ 'ReplicaSet.apps': 5, Pod: 2 }`; goes before
   * `maxConcurrentReconciles` here.
   */
  readonly concurrencyByKind?: Readonly<Record<string, number>>;
}

/** Fills in what a controller leaves open. Precedence as in controller-runtime: controller, kind, manager. */
export function withDefaults(
  definition: ControllerDefinition,
  defaults: ControllerDefaults = {},
): ControllerDefinition {
  const { concurrencyByKind = {}, ...rest } = defaults;
  const { primary } = definition;
  const kind = primary && (primary.group === '' ? primary.kind : `${primary.kind}.${primary.group}`);
  const byKind = kind !== undefined && Object.hasOwn(concurrencyByKind, kind) ? concurrencyByKind[kind] : undefined;
  return { ...rest, ...(byKind !== undefined && { maxConcurrentReconciles: byKind }), ...definition };
}

/**
 * The controllers of a manager as they will run.
 *
 * @throws ManagerError (KW3007) when two have one name.
 */
export function settledControllers(
  controllers: readonly ControllerDefinition[],
  defaults: ControllerDefaults | undefined,
): readonly ControllerDefinition[] {
  const seen = new Set<string>();
  for (const { name } of controllers) {
    if (seen.has(name)) {
      throw new ManagerError(`cannot run two controllers named "${name}"; give one of them another "name"`);
    }
    seen.add(name);
  }
  return controllers.map((each) => withDefaults(each, defaults));
}
