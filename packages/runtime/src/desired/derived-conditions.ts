import {
  type Clock,
  type Condition,
  type ConditionUpdate,
  type KubernetesObject,
  setCondition,
} from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ObjectReadiness } from './object-state.ts';

/** A fact about a child, with the child's name for messages. */
export type Named<What> = readonly [name: string, what: What];

/** The state of the children as found by one reconcile. */
export interface ChildrenOutcome {
  /** Desired children that exist, with their state. */
  readonly states: readonly Named<ObjectReadiness>[];
  /** Desired children that do not exist yet, with the reasons why they wait. */
  readonly waiting: readonly Named<string>[];
  /** Children that are being deleted. */
  readonly leaving: readonly string[];
  /** The reason why the reconcile cannot continue; retrying does not help. */
  readonly rejected?: { readonly reason: string; readonly message: string };
}

const maxNamed = 5;

/** Types of the conditions that are derived from children. */
export const derivedTypes: ReadonlySet<string> = new Set(['Ready', 'Reconciling', 'Stalled']);

/**
 * Derives an object's conditions from its children, following kstatus: `Ready` always, `Reconciling` and `Stalled` only while
 * they are true. Given conditions take precedence over derived conditions of the same type.
 */
export function derivedConditions(
  outcome: ChildrenOutcome,
  options: {
    readonly given: readonly ConditionUpdate[];
    readonly before: readonly Condition[] | undefined;
    readonly generation: number | undefined;
    readonly clock: Clock;
  },
): readonly Condition[] {
  const { given, before = [], generation, clock } = options;
  const own = new Set(given.map((each) => each.type));
  const updates = [...derive(outcome).filter((each) => !own.has(each.type)), ...given];
  const types = new Set(updates.map((each) => each.type));
  let conditions: readonly Condition[] = before.filter((each) => types.has(each.type));
  for (const update of updates) {
    conditions = setCondition(conditions, { ...defined({ observedGeneration: generation }), ...update }, clock);
  }
  return conditions;
}

function derive({ states, waiting, leaving, rejected }: ChildrenOutcome): readonly ConditionUpdate[] {
  const failed = states.filter(([, each]) => each.state === 'Failed');
  const stalled =
    rejected ?? (failed.length > 0 ? { reason: 'ChildFailed', message: joined(failed.map(sentence)) } : undefined);
  if (stalled) {
    return [
      { type: 'Ready', status: 'False', ...stalled },
      { type: 'Stalled', status: 'True', ...stalled },
    ];
  }
  const open = [
    ...states.filter(([, each]) => each.state !== 'Current').map(sentence),
    ...waiting.map(([name, why]) => `${name} ${why}`),
    ...leaving.map((name) => `${name} is being deleted`),
  ];
  if (open.length === 0) return [{ type: 'Ready', status: 'True', reason: 'ChildrenReady', message: '' }];
  const reconciling = { reason: 'ChildrenNotReady', message: joined(open) };
  return [
    { type: 'Ready', status: 'False', ...reconciling },
    { type: 'Reconciling', status: 'True', ...reconciling },
  ];
}

function sentence([name, { message }]: Named<ObjectReadiness>): string {
  return `${name} ${message}`;
}

/** Joins sentences to a readable length, far below the limit of a condition's message. */
function joined(sentences: readonly string[]): string {
  const more = sentences.length - maxNamed;
  const text = sentences.slice(0, maxNamed).join('; ');
  return (more > 0 ? `${text}; and ${more} more` : text).slice(0, 4_096);
}

/** Returns the conditions in the conventional field `status.conditions`. */
export function conditionsOf(object: KubernetesObject): readonly Condition[] | undefined {
  const { status } = object as KubernetesObject & { readonly status?: { readonly conditions?: unknown } };
  // By convention, `status.conditions` is a list of conditions; any other value is ignored.
  return Array.isArray(status?.conditions) ? (status.conditions as readonly Condition[]) : undefined;
}
