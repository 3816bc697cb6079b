import {
  type Clock,
  type Condition,
  type ConditionUpdate,
  type KubernetesObject,
  setCondition,
} from '@kubewright/apimachinery';
import type { ObjectReadiness } from './object-state.ts';

/** Something about a child, by the name that messages give it. */
export type ToldOf<What> = readonly [name: string, what: What];

/** Outcome of one reconcile for the children. */
export interface ChildrenOutcome {
  /** Wanted children that are there, and how far they have come. */
  readonly states: readonly ToldOf<ObjectReadiness>[];
  /** Wanted children that are not there yet, and what they wait for. */
  readonly waiting: readonly ToldOf<string>[];
  /** Children that are on their way out. */
  readonly leaving: readonly string[];
  /** Why the reconcile could not continue; trying again alone will not help. */
  readonly refused?: { readonly reason: string; readonly message: string };
}

const mostNamed = 5;

/**
 * Says of an object what its children say together, by the rules of kstatus: `Ready` always, `Reconciling` and `Stalled`
 * only while they hold. Conditions that are given go before derived ones of their type.
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
    conditions = setCondition(
      conditions,
      { ...(generation !== undefined && { observedGeneration: generation }), ...update },
      clock,
    );
  }
  return conditions;
}

function derive({ states, waiting, leaving, refused }: ChildrenOutcome): readonly ConditionUpdate[] {
  const failed = states.filter(([, each]) => each.state === 'Failed');
  const stalled =
    refused ?? (failed.length > 0 ? { reason: 'ChildFailed', message: told(failed.map(sentence)) } : undefined);
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
  const reconciling = { reason: 'ChildrenNotReady', message: told(open) };
  return [
    { type: 'Ready', status: 'False', ...reconciling },
    { type: 'Reconciling', status: 'True', ...reconciling },
  ];
}

function sentence([name, { message }]: ToldOf<ObjectReadiness>): string {
  return `${name} ${message}`;
}

/** As much as people read, and far below what a condition may hold. */
function told(sentences: readonly string[]): string {
  const more = sentences.length - mostNamed;
  const text = sentences.slice(0, mostNamed).join('; ');
  return (more > 0 ? `${text}; and ${more} more` : text).slice(0, 4_096);
}

/** Where conditions are kept by convention. */
export function conditionsOf(object: KubernetesObject): readonly Condition[] | undefined {
  const { status } = object as KubernetesObject & { readonly status?: { readonly conditions?: unknown } };
  // By convention a list of conditions; whatever else it is gives no transition times.
  return Array.isArray(status?.conditions) ? (status.conditions as readonly Condition[]) : undefined;
}
