import { isConflict, isNotFound, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import type { ResourceClient } from '@kubewright/client';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { isWebhookFailure } from '../program/webhook-failure.ts';
import type { Project } from '../project/find-project.ts';
import { isConverted } from '../render/webhook-objects.ts';
import type { Target } from '../target/apply-objects.ts';
import { CleanupHold, finalizersOf, keyOf, nameOf } from './cleanup-hold.ts';
import type { CleanupOperator } from './cleanup-operator.ts';
import { customResource } from './custom-resource.ts';
import { ownFinalizers } from './own-finalizers.ts';
import { releaseHold } from './release-hold.ts';

/** Time limit for an operator's cleanup, in milliseconds. */
const goneMs = 20_000;
/**
 * If no operator is detected, waiting stops after this time without progress, in milliseconds. While objects are still
 * disappearing, an undetected operator outside the cluster may be handling them.
 */
const quietMs = 5_000;
/**
 * Time limit for the garbage collector to delete children, in milliseconds. The collector looks for new kinds every 30
 * seconds.
 */
const collectedMs = 60_000;
const pollMs = 100;

/**
 * The policy for finalizers if no operator is running: remove those of this operator, remove all, or ask the user
 * before removing those of this operator.
 */
export type Release = 'own' | 'all' | ((question: string) => Promise<boolean>);

/** Options for removing objects. */
export interface RemovalOptions {
  readonly context: Context;
  readonly target: Target;
  readonly project: Project;
  /** The location of the running operator; undefined if no operator was detected. */
  readonly operator: string | undefined;
  readonly release: Release;
  /** Performs the cleanup if no operator is running, unless the user opted out. */
  readonly cleanup?: Pick<CleanupOperator, 'attend'> | undefined;
  /** @defaultValue all */
  readonly namespace?: string | undefined;
}

type Objects = readonly UnstructuredObject[];

/** The removal of one kind. */
interface Removal {
  readonly crd: UnstructuredObject;
  readonly resource: ResourceClient<UnstructuredObject>;
  readonly hold: CleanupHold;
  readonly options: RemovalOptions;
}

/**
 * Deletes all objects of a kind and returns their number. Waits until a running operator has cleaned up, and then until
 * the garbage collector has deleted the children: if the kind were removed first, the collector would not find them. If
 * the operator is not running, its finalizers would block deletion forever, so the operator is run for the cleanup, or
 * its finalizers are removed if the user agrees.
 *
 * @throws CliError KW7307 if objects remain
 */
export async function removeObjects(crd: UnstructuredObject, options: RemovalOptions): Promise<number> {
  const { target } = options;
  const resource = await customResource(target.client, crd);
  if (!resource) return 0;
  const objects = await convertedOrNot(() => list(resource, options), { crd, target });
  const hold = new CleanupHold(resource, target.environment);
  try {
    await deleteAll(objects, { crd, resource, hold, options });
  } catch (error) {
    await releaseHold(hold, { crd, reporter: options.context.reporter, namespace: options.namespace });
    throw error;
  }
  return objects.length;
}

async function deleteAll(objects: Objects, removal: Removal): Promise<void> {
  const { crd, resource, hold, options } = removal;
  const { signal } = options.target.environment;
  for (const object of objects) {
    const isHeld = finalizersOf(object).length > 0;
    if (isHeld) await hold.place(object);
    // Foreground deletion would also delete children that the operator's cleanup may need.
    const propagationPolicy = isHeld ? 'Background' : 'Foreground';
    await resource.delete(keyOf(object.metadata), { propagationPolicy, signal }).catch(ignoreGone);
  }
  let left = await awaitGone(removal);
  if (left.every(isCollected)) left = await releaseUncollected(left, removal);
  if (await isAttended(left, options)) left = await awaitGone(removal, { operator: 'src/main.ts' });
  if (left.length === 0) return;
  const { operator, release } = options;
  if (operator !== undefined && release !== 'all') throw notDone(crd, { left, operator });
  await releaseAll(left, removal);
  const still = await awaitGone(removal);
  if (still.length > 0) throw heldByOthers(crd, still);
}

async function isAttended(left: Objects, { project, operator, release, cleanup }: RemovalOptions): Promise<boolean> {
  if (!cleanup || operator !== undefined || typeof release === 'string') return false;
  return left.some((object) => ownFinalizers(object, project).length > 0) && (await cleanup.attend());
}

async function list(
  resource: ResourceClient<UnstructuredObject>,
  { namespace, target }: Pick<RemovalOptions, 'namespace' | 'target'>,
): Promise<Objects> {
  const { signal } = target.environment;
  return (await resource.list({ signal, namespace })).items;
}

/**
 * Reads the objects. If the conversion webhook cannot be called, turns conversion off and reads again: deletion works with any
 * version.
 */
async function convertedOrNot(
  read: () => Promise<Objects>,
  { crd, target }: { readonly crd: UnstructuredObject; readonly target: Target },
): Promise<Objects> {
  try {
    return await read();
  } catch (error) {
    // Turn conversion off only for webhook failures, because it is never turned on again.
    if (!isConverted(crd) || !isWebhookFailure(error)) throw error;
    const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
    const key = { name: crd.metadata?.name ?? '' };
    const { signal } = target.environment;
    await target.client.resource(CustomResourceDefinition).patch(key, { type: 'merge', body }, { signal });
    return read();
  }
}

/** Waits until the objects are deleted. Returns the remaining objects. */
async function awaitGone(
  { resource, hold, options }: Removal,
  { operator }: Pick<RemovalOptions, 'operator'> = options,
): Promise<Objects> {
  const { clock, signal } = options.target.environment;
  const start = clock.monotonic();
  let last = start;
  for (let count = Number.POSITIVE_INFINITY; ; await sleep(clock, { ms: pollMs, signal })) {
    const items = await list(resource, options);
    const now = clock.monotonic();
    if (items.length < count) last = now;
    count = items.length;
    const isLate = items.every(isCollected)
      ? now - start >= collectedMs
      : now - start >= goneMs || (operator === undefined && now - last >= quietMs);
    if (count === 0 || isLate) return items;
    await hold.advance(items);
  }
}

/** True for an object that is only waiting for the garbage collector to delete its children. */
function isCollected(object: UnstructuredObject): boolean {
  return finalizersOf(object).every((name) => name === 'foregroundDeletion');
}

/** Gives up waiting for the garbage collector, which the cluster may not have. Returns the objects that remain. */
async function releaseUncollected(left: Objects, removal: Removal): Promise<Objects> {
  const { resource, options } = removal;
  const { context, target } = options;
  const { signal } = target.environment;
  for (const object of left) {
    const body = { metadata: { uid: object.metadata?.uid, finalizers: null } };
    await resource.patch(keyOf(object.metadata), { type: 'merge', body }, { signal }).catch(ignoreGone);
    const what = `the garbage collector has not deleted the children of ${nameOf(object)} within ${collectedMs / 1_000} s`;
    context.reporter.step('children remain', what, 'bad');
  }
  return left.length === 0 ? left : awaitGone(removal);
}

/** Removes finalizers and reports for each object which cleanup was skipped. */
async function releaseAll(left: Objects, { crd, resource, options }: Removal): Promise<void> {
  const { context, project, release, target } = options;
  const held = left
    .map((object) => ({ object, names: release === 'all' ? finalizersOf(object) : ownFinalizers(object, project) }))
    .filter(({ names }) => names.length > 0);
  if (held.length === 0) throw heldByOthers(crd, left);
  const names = [...new Set(held.flatMap((each) => each.names))];
  const finalizers = `the ${names.length === 1 ? 'finalizer' : 'finalizers'} ${names.join(', ')}`;
  const question = `No running operator handles ${finalizers}. Delete ${counted(held.length)} without cleanup?`;
  if (typeof release === 'function' && !(await release(question))) throw unattended(crd, left);
  const { signal } = target.environment;
  for (const { object, names: taken } of held) {
    const { resourceVersion, finalizers = [] } = object.metadata ?? {};
    const rest = finalizers.filter((name) => !taken.includes(name));
    const body = { metadata: { resourceVersion, finalizers: rest } };
    try {
      await resource.patch(keyOf(object.metadata), { type: 'merge', body }, { signal });
    } catch (error) {
      // The object has changed in the meantime; another client may be handling it.
      if (isNotFound(error) || isConflict(error)) continue;
      throw error;
    }
    context.reporter.step(
      'cleanup skipped',
      `${nameOf(object)}: removed the ${taken.length === 1 ? 'finalizer' : 'finalizers'} ${taken.join(', ')}`,
      'bad',
    );
  }
}

function ignoreGone(error: unknown): void {
  // Another client has already deleted the object.
  if (!isNotFound(error)) throw error;
}

function whatHolds(left: Objects): string {
  const lines = left.slice(0, 5).map((object) => `${nameOf(object)}: ${finalizersOf(object).join(', ')}`);
  return [...lines, ...(left.length > lines.length ? [`and ${left.length - lines.length} more`] : [])].join('\n');
}

function counted(count: number): string {
  return count === 1 ? 'one object' : `${count} objects`;
}

function whatStays(crd: UnstructuredObject, { length }: Objects): string {
  return `${counted(length)} of ${crd.metadata?.name} ${length === 1 ? 'was' : 'were'} not deleted`;
}

function notDone(
  crd: UnstructuredObject,
  { left, operator }: { readonly left: Objects; readonly operator: string },
): CliError {
  return new CliError('KW7307', {
    what: whatStays(crd, left),
    why: `the operator (${operator}) has not finished its cleanup within ${goneMs / 1_000} s:\n${whatHolds(left)}`,
    remedy: "check the operator's log, then retry; or skip the cleanup: kubewright uninstall --force",
  });
}

function unattended(crd: UnstructuredObject, left: Objects): CliError {
  return new CliError('KW7307', {
    what: whatStays(crd, left),
    why: `no running operator handles these finalizers, and src/main.ts could not run locally:\n${whatHolds(left)}`,
    remedy: 'deploy the operator and retry, or delete the objects without cleanup: kubewright uninstall --yes',
  });
}

function heldByOthers(crd: UnstructuredObject, left: Objects): CliError {
  return new CliError('KW7307', {
    what: whatStays(crd, left),
    why: `these finalizers belong to other controllers:\n${whatHolds(left)}`,
    remedy:
      'check the controllers that handle these finalizers, then retry; or remove all finalizers: kubewright uninstall --force',
  });
}
