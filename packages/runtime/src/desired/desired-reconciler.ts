import {
  type Condition,
  type ConditionUpdate,
  findCondition,
  isConflict,
  isControlledBy,
  isDeleting,
  type Kind,
  type KubernetesObject,
  objectKey,
  StatusError,
  type Stored,
} from '@kubewright/apimachinery';
import type { JsonObject } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import type { LoopContext } from '../reconcile/context.ts';
import { isMap, ownedPart } from '../reconcile/manager-entry.ts';
import { childId, type Observed } from '../reconcile/observed-children.ts';
import type { ReconcileOutcome } from '../reconcile/reconcile.ts';
import { findError, TerminalError } from '../reconcile/terminal-error.ts';
import { childName, childPlan, type PlannedChild } from './child-plan.ts';
import {
  type ChildrenOutcome,
  conditionsOf,
  derivedConditions,
  derivedTypes,
  type Named,
} from './derived-conditions.ts';
import type { DesiredState } from './desired-state.ts';
import { type ObjectReadiness, objectState } from './object-state.ts';
import { reportCreated, reportDeleted, reportPhase, reportRejected } from './report-changes.ts';
import type { StatusShape } from './status-shape.ts';

/** Condition reason used when the user's function fails. */
const cannotReconcile = 'CannotReconcile';

export interface DesiredReconcilerOptions {
  readonly context: LoopContext;
  readonly object: Stored<KubernetesObject>;
  readonly kind: Kind<KubernetesObject>;
  readonly owns: readonly Kind<KubernetesObject>[];
  readonly shape: StatusShape;
  /** Field manager of the controller's applies; identifies the controller's own children. */
  readonly fieldManager: string;
}

/** Reconciles the cluster to match a desired state: first children, then status, then pruning. */
export class DesiredReconciler {
  readonly #options: DesiredReconcilerOptions;
  readonly #states = new Map<string, Named<ObjectReadiness>>();
  readonly #waiting: Named<string>[] = [];
  #changed = false;

  constructor(options: DesiredReconcilerOptions) {
    this.#options = options;
  }

  /**
   * Applies the result of a pure function. Calls the function again if children have changed, so that the status
   * reflects the changes.
   */
  async ofFunction(
    desired: (object: Stored<KubernetesObject>, observed: Observed) => DesiredState,
  ): Promise<ReconcileOutcome> {
    const { object, context } = this.#options;
    await this.#settle();
    const { observed } = context;
    let state: DesiredState = {};
    let thrown: unknown;
    const compute = (): DesiredState => {
      try {
        return atOnce(desired(object, observed));
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    try {
      state = compute();
      return await this.#run(state, compute);
    } catch (error) {
      if (findError(error, isTerminal)) {
        await this.#setStatus(state, { rejected: { reason: cannotReconcile, message: messageOf(error) } });
      } else if (error === thrown && !this.#hasGivenUp()) {
        // A pure function will throw the same error again; report it only once, because the message may differ each time.
        await this.#setStatus(state, { rejected: { reason: cannotReconcile, message: messageOf(error) } });
      }
      throw error;
    }
  }

  /** Reports whether the status already shows that this generation cannot be reconciled. */
  #hasGivenUp(): boolean {
    const { context, object, kind } = this.#options;
    const latest = context.cache.peek(kind, objectKey(object))?.object ?? object;
    const stalled = findCondition(conditionsOf(latest) ?? [], 'Stalled');
    return stalled?.reason === cannotReconcile && stalled.observedGeneration === object.metadata.generation;
  }

  /** Applies a state that a reconcile returned. */
  async ofState(state: DesiredState): Promise<ReconcileOutcome> {
    await this.#settle();
    return this.#run(state);
  }

  /** Applies a state; `recompute` computes the state again after children were applied. */
  async #run(state: DesiredState, recompute?: () => DesiredState): Promise<ReconcileOutcome> {
    const { children } = state;
    const plan = children && childPlan(children, { owner: this.#options.object, owns: this.#options.owns });
    for (const each of plan ?? []) await this.#bringAbout(each, state);
    const superfluous = plan ? this.#deletable(this.#superfluous(plan), state) : [];
    const latest = this.#changed && recompute ? recompute() : state;
    await this.#setStatus(latest, { leaving: superfluous.map((each) => childName(each)) });
    const { requeueAfterMs, requeue, priority } = latest;
    const rank = priority === undefined ? {} : { priority };
    if (!(await this.#prune(superfluous))) return { ...rank, requeue: true };
    if (requeueAfterMs !== undefined) return { ...rank, requeueAfterMs, ...(requeue && { requeue }) };
    return requeue ? { ...rank, requeue } : undefined;
  }

  /** Queries the server for children left in an unknown state by a lost response. */
  async #settle(): Promise<void> {
    const { owns, object, context } = this.#options;
    for (const kind of owns) {
      const { namespace } = object.metadata;
      const inNamespace = kind.scope === 'Namespaced' && namespace !== undefined ? { namespace } : {};
      if (context.cache.holds(kind, inNamespace.namespace)) await context.list(kind, { ...inNamespace, limit: 0 });
    }
  }

  async #bringAbout(planned: PlannedChild, state: DesiredState): Promise<void> {
    const { context } = this.#options;
    const { kind, object, id, name } = planned;
    const there = context.cache.peek(kind, objectKey(object))?.object;
    if (there && isDeleting(there)) {
      // A terminating object cannot become the desired child. It may have another owner or none, so wait for its
      // removal by name.
      context.awaitEnd(id);
      this.#waiting.push([name, 'is being deleted and will be recreated']);
      return;
    }
    const first = planned.after.find((other) => this.#states.get(other.id)?.[1].state !== 'Current');
    const reason = first === undefined ? planned.inactive : `waits for ${first.name}`;
    if (reason !== undefined) {
      if (there) this.#states.set(id, [name, objectState(there)]);
      this.#waiting.push([name, reason]);
      return;
    }
    const applied = await this.#apply(planned, state);
    this.#states.set(id, [name, objectState(applied)]);
    if (applied === there) return;
    this.#changed = true;
    if (!there) reportCreated(applied, context);
  }

  async #apply(planned: PlannedChild, state: DesiredState): Promise<KubernetesObject> {
    const { context } = this.#options;
    try {
      return await context.apply(planned.object);
    } catch (error) {
      if (isRejection(error)) {
        const rejected = { reason: error.status.reason || 'Rejected', message: `${planned.name}: ${error.message}` };
        reportRejected(planned.object, { context, rejected });
        await this.#setStatus(state, { rejected });
      }
      throw error;
    }
  }

  /**
   * Returns own children that are no longer desired: controlled by this object, applied by this controller at some
   * time, and not applied by the function in this reconcile. The object may have children of other controllers too.
   */
  #superfluous(plan: readonly PlannedChild[]): readonly KubernetesObject[] {
    const { object, owns, context, fieldManager } = this.#options;
    const wanted = new Set([...plan.map((each) => each.id), ...context.appliedIds]);
    return owns
      .flatMap((kind) => context.observed.list(kind))
      .filter((each) => isControlledBy(each, object) && isManagedBy(each, fieldManager) && !wanted.has(childId(each)));
  }

  /** Leaves out children that the desired state keeps for now; they are reported as waiting. */
  #deletable(superfluous: readonly KubernetesObject[], { mayDelete }: DesiredState): readonly KubernetesObject[] {
    if (!mayDelete) return superfluous;
    return superfluous.filter((each) => {
      const result = isDeleting(each) || mayDelete(each);
      if (result !== true) this.#waiting.push([childName(each), result]);
      return result === true;
    });
  }

  /**
   * Deletes only the versions that were read; returns false if a child has changed and must be checked again. Also deletes the
   * children's own children: by default, the API server keeps the pods of a deleted Job.
   */
  async #prune(superfluous: readonly KubernetesObject[]): Promise<boolean> {
    const { context } = this.#options;
    let isDone = true;
    for (const each of superfluous) {
      if (isDeleting(each)) continue;
      try {
        await context.delete(each, { matchResourceVersion: true, propagationPolicy: 'Background' });
        reportDeleted(each, context);
      } catch (error) {
        if (!isConflict(error)) throw error;
        context.log.info('the child has changed and was not deleted; retrying', {
          event: logEvents.childChanged,
          object: childName(each),
        });
        isDone = false;
      }
    }
    return isDone;
  }

  async #applyStatus(
    status: Readonly<Record<string, unknown>>,
    shape: StatusShape,
  ): Promise<KubernetesObject | undefined> {
    const { context } = this.#options;
    for (;;) {
      try {
        return await context.applyStatus(shape.fit(status));
      } catch (error) {
        if (!shape.learn(error, context.log)) throw error;
      }
    }
  }

  async #setStatus(state: DesiredState, what: Partial<ChildrenOutcome>): Promise<void> {
    const { context, object, kind, shape } = this.#options;
    const latest = context.cache.peek(kind, objectKey(object))?.object ?? object;
    const saidStalled = conditionsOf(latest)?.some((each) => each.reason === cannotReconcile) ?? false;
    const isOurs = state.status !== undefined || state.conditions !== undefined;
    if (!isOurs && !saidStalled && what.rejected?.reason !== cannotReconcile) return;
    const { generation } = object.metadata;
    const outcome = { states: [...this.#states.values()], waiting: this.#waiting, leaving: [], ...what };
    const { clock } = context;
    const given = givenConditions(state);
    const derived = derivedConditions(outcome, { given, before: conditionsOf(latest), generation, clock });
    const observedGeneration = generation === undefined ? {} : { observedGeneration: generation };
    const kept = isOurs ? {} : this.#ownStatus(latest);
    const conditions = [...derived, ...keptConditions(kept)];
    const whole = { ...(isOurs ? state.status : kept), ...observedGeneration, conditions };
    const result = await this.#applyStatus(whole, shape);
    if (!result) return;
    reportPhase({ before: latest, after: result }, context);
  }

  /**
   * Returns the status fields that this controller has applied; the status may contain fields of other managers too.
   */
  #ownStatus(latest: KubernetesObject): JsonObject {
    const { status } = ownedPart(latest, { fieldManager: this.#options.fieldManager, subresource: 'status' });
    return isMap(status) ? status : {};
  }
}

/** Returns the conditions that the function set earlier, without derived conditions. */
function keptConditions({ conditions }: JsonObject): readonly Condition[] {
  if (!Array.isArray(conditions)) return [];
  return (conditions as readonly Condition[]).filter(({ type }) => !derivedTypes.has(type));
}

/**
 * Returns the conditions in a desired state. For each type, an entry in `conditions` takes precedence over an entry in
 * the status.
 */
function givenConditions({ status, conditions = [] }: DesiredState): readonly ConditionUpdate[] {
  const types = new Set(conditions.map(({ type }) => type));
  const inStatus: unknown = (status as { readonly conditions?: unknown } | undefined)?.conditions;
  // Ignore the field if the kind uses its name for anything other than a list of conditions.
  const others = Array.isArray(inStatus) ? (inStatus as readonly ConditionUpdate[]) : [];
  return [...others.filter(({ type }) => !types.has(type)), ...conditions];
}

/** Start of the message that API servers send with status 500 if an applied object does not fit the schema. */
const notTyped = 'failed to create typed patch object';

/** Reports whether a retry of the same request would fail with the same error. */
function isRejection(error: unknown): error is StatusError {
  if (!(error instanceof StatusError)) return false;
  if (error.httpStatus === 500) return error.status.message?.startsWith(notTyped) ?? false;
  return error.httpStatus >= 400 && error.httpStatus < 500 && ![408, 409, 429].includes(error.httpStatus);
}

/**
 * Reports whether this field manager wrote more of the object than its status. The cache keeps only the entries of its
 * configured managers.
 */
function isManagedBy(object: KubernetesObject, fieldManager: string): boolean {
  const entries = object.metadata.managedFields ?? [];
  return entries.some((each) => each.manager === fieldManager && !each.subresource);
}

/** Rejects promises, which untyped programs may return; the results and errors of promises would be lost. */
function atOnce(state: DesiredState): DesiredState {
  if (!(state instanceof Promise)) return state;
  state.catch(() => {});
  throw new TerminalError({
    what: '"desired" must not be async',
    remedy: 'move the asynchronous code to "reconcile", and return the desired state from there',
  });
}

function isTerminal(error: unknown): error is TerminalError {
  return error instanceof TerminalError;
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 4_096);
}
