import { defined } from '@kubewright/apimachinery/internal';
import type { ControllerDefinition, ControllerSettings } from '../controller/definition/controller-definition.ts';
import { ManagerError } from './manager-error.ts';

/** Controller settings that apply to a whole manager; a controller's own settings take precedence. */
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
   * Concurrent reconciles by `Kind.group` of the primary kind, such as `{ 'ReplicaSet.apps': 5, Pod: 2 }`; takes
   * precedence over `maxConcurrentReconciles` of these defaults.
   */
  readonly concurrencyByKind?: Readonly<Record<string, number>>;
}

/** Fills in settings that a controller leaves unset. The precedence is controller-runtime's: controller, kind, manager. */
export function withDefaults(
  definition: ControllerDefinition,
  defaults: ControllerDefaults = {},
): ControllerDefinition {
  const { concurrencyByKind = {}, ...rest } = defaults;
  const { primary } = definition;
  const kind = primary && (primary.group === '' ? primary.kind : `${primary.kind}.${primary.group}`);
  const byKind = kind !== undefined && Object.hasOwn(concurrencyByKind, kind) ? concurrencyByKind[kind] : undefined;
  return { ...rest, ...defined({ maxConcurrentReconciles: byKind }), ...definition };
}

/**
 * Returns the controllers of a manager with defaults applied.
 * @throws ManagerError (KW3007) if two controllers have the same name.
 */
export function settledControllers(
  controllers: readonly ControllerDefinition[],
  defaults: ControllerDefaults | undefined,
): readonly ControllerDefinition[] {
  const seen = new Set<string>();
  for (const { name } of controllers) {
    if (seen.has(name)) {
      throw new ManagerError({
        what: `cannot run two controllers named "${name}"`,
        remedy: 'rename one of them with "name"',
      });
    }
    seen.add(name);
  }
  return controllers.map((each) => withDefaults(each, defaults));
}

/**
 * Applies the defaults to a controller that is added to a manager, and checks it against the manager's other controllers.
 * @throws ManagerError (KW3007) if the name is taken, or the controller is `sharded`.
 */
export function addable(
  definition: ControllerDefinition,
  manager: { readonly defaults: ControllerDefaults | undefined; readonly others: readonly ControllerDefinition[] },
): ControllerDefinition {
  if (definition.sharded && !definition.partition) {
    throw new ManagerError({
      what: `cannot add the controller "${definition.name}" to a running manager`,
      why: 'a sharded controller must be declared before the manager starts',
      remedy: `pass the controller in the manager's "controllers" option`,
    });
  }
  const [last] = settledControllers([...manager.others, definition], manager.defaults).slice(-1);
  return last as ControllerDefinition;
}
