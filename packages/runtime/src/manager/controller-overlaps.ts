import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';

/** Two controllers of one kind that would undo each other's work. */
export interface ControllerOverlap {
  readonly controllers: readonly [string, string];
  /** The `Kind.group` that both controllers reconcile. */
  readonly kind: string;
  /** Explanation of the effect and the remedy. */
  readonly advice: string;
}

/**
 * Finds controllers of one kind that conflict with each other.
 *
 * One kind may have several controllers, even with children of the same kinds: every change triggers all of them, each
 * has its own queue, and each prunes only objects that its own field manager has applied. Only field managers and
 * finalizers that two controllers share are reported.
 */
export function controllerOverlaps(controllers: readonly ControllerDefinition[]): readonly ControllerOverlap[] {
  const objects = controllers.filter((each) => each.primary && each.run.level === 'object');
  return objects.flatMap((one, index) =>
    objects.slice(index + 1).flatMap((other) => (kindOf(one) === kindOf(other) ? between(one, other) : [])),
  );
}

/** Logs a warning for each pair of controllers that conflict. */
export function logOverlaps(controllers: readonly ControllerDefinition[], log: Logger): void {
  for (const overlap of controllerOverlaps(controllers)) {
    log.warn('two controllers conflict', { event: logEvents.controllersConflict, ...overlap });
  }
}

function between(one: ControllerDefinition, other: ControllerDefinition): readonly ControllerOverlap[] {
  const found = { controllers: [one.name, other.name] as const, kind: kindOf(one) };
  const overlaps: ControllerOverlap[] = [];
  const manager = managerOf(one);
  if (manager === managerOf(other)) {
    const advice = `both controllers use the field manager "${manager}": each of them removes the fields and deletes the children that the other controller has applied; set another fieldManager for one of them`;
    overlaps.push({ ...found, advice });
  }
  for (const name of Object.keys(one.finalizers).filter((each) => Object.hasOwn(other.finalizers, each))) {
    const advice = `both controllers use the finalizer "${name}": the first controller to finish removes the finalizer, and the object may be deleted before the other controller has cleaned up; rename one of the finalizers`;
    overlaps.push({ ...found, advice });
  }
  return overlaps;
}

function managerOf({ fieldManager, name }: ControllerDefinition): string {
  return fieldManager ?? name;
}

/** Returns the kind without its version, because all versions refer to the same objects. */
function kindOf({ primary }: ControllerDefinition): string {
  return primary?.group ? `${primary.kind}.${primary.group}` : (primary?.kind ?? '');
}
