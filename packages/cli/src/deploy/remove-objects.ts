import { isConflict, isNotFound, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { ResourceClient } from '@kubewright/client';
import { CliError } from '../program/cli-error.ts';
import { confirm } from '../program/confirm.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';
import { isConverted } from '../render/webhook-objects.ts';
import type { Target } from '../target/apply-objects.ts';
import type { CleanupOperator } from './cleanup-operator.ts';
import { customResource } from './custom-resource.ts';
import { ownFinalizers } from './own-finalizers.ts';

/** The time in which an operator must finish its cleanup, in milliseconds. */
const goneMs = 20_000;
/**
 * Without a detected operator, another may still run outside the cluster. Waits as long as objects disappear within this
 * interval.
 */
const quietMs = 5_000;
const pollMs = 100;

/** How to handle finalizers that no operator handles: ask the user, remove the operator's own, or remove all. */
export type Release = 'ask' | 'own' | 'all';

/** Options for removing objects. */
export interface RemovalOptions {
  readonly context: Context;
  readonly target: Target;
  readonly project: Project;
  /** Where the operator is running, if it is. */
  readonly operator: string | undefined;
  readonly release: Release;
  /** Performs the cleanup if no operator is running, unless the user opted out. */
  readonly attendant?: Pick<CleanupOperator, 'attend'> | undefined;
  /** @defaultValue all */
  readonly namespace?: string | undefined;
}

type Objects = readonly UnstructuredObject[];

/**
 * Deletes all objects of a kind and returns their number. Waits for the cleanup of a running operator. If no operator is
 * running, its finalizers would block deletion forever: it is run for the cleanup, or its finalizers are removed if the user
 * agrees.
 *
 * @throws CliError KW7307 if objects remain
 */
export async function removeObjects(crd: UnstructuredObject, options: RemovalOptions): Promise<number> {
  const { target, release, operator } = options;
  const { signal } = target.surroundings;
  const resource = await customResource(target.client, crd);
  if (!resource) return 0;
  const objects = await convertedOrNot(() => list(resource, options), { crd, target });
  for (const { metadata } of objects) await resource.delete(keyOf(metadata), { signal }).catch(ignoreGone);
  let left = await awaitGone(resource, options);
  if (await isAttended(left, options)) left = await awaitGone(resource, { ...options, operator: 'src/main.ts' });
  if (left.length === 0) return objects.length;
  if (operator !== undefined && release !== 'all') throw notDone(crd, { left, operator });
  await releaseAll(left, { crd, resource, options });
  const still = await awaitGone(resource, options);
  if (still.length > 0) throw heldByOthers(crd, still);
  return objects.length;
}

async function isAttended(left: Objects, { project, operator, release, attendant }: RemovalOptions): Promise<boolean> {
  if (!attendant || operator !== undefined || release !== 'ask') return false;
  return left.some((object) => ownFinalizers(object, project).length > 0) && (await attendant.attend());
}

async function list(
  resource: ResourceClient<UnstructuredObject>,
  { namespace, target }: Pick<RemovalOptions, 'namespace' | 'target'>,
): Promise<Objects> {
  const { signal } = target.surroundings;
  return (await resource.list({ signal, namespace })).items;
}

/** Turns conversion off if reading fails, because the conversion webhook may be gone; deletion works with any version. */
async function convertedOrNot(
  read: () => Promise<Objects>,
  { crd, target }: { readonly crd: UnstructuredObject; readonly target: Target },
): Promise<Objects> {
  try {
    return await read();
  } catch (error) {
    if (!isConverted(crd)) throw error;
    const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
    const key = { name: crd.metadata?.name ?? '' };
    const { signal } = target.surroundings;
    await target.client.resource(CustomResourceDefinition).patch(key, { type: 'merge', body }, { signal });
    return read();
  }
}

/** Waits until the objects are deleted. Returns those that remain. */
async function awaitGone(
  resource: ResourceClient<UnstructuredObject>,
  options: Pick<RemovalOptions, 'target' | 'operator' | 'namespace'>,
): Promise<Objects> {
  const { operator, target } = options;
  const { clock, signal } = target.surroundings;
  const start = clock.monotonic();
  let last = start;
  for (let count = Number.POSITIVE_INFINITY; ; await sleep(clock, { ms: pollMs, signal })) {
    const items = await list(resource, options);
    const now = clock.monotonic();
    if (items.length < count) last = now;
    count = items.length;
    const isLate = now - start >= goneMs || (operator === undefined && now - last >= quietMs);
    if (count === 0 || isLate) return items;
  }
}

interface Releasing {
  readonly crd: UnstructuredObject;
  readonly resource: ResourceClient<UnstructuredObject>;
  readonly options: RemovalOptions;
}

/** Removes finalizers and reports for each object which cleanup was skipped. */
async function releaseAll(left: Objects, { crd, resource, options }: Releasing): Promise<void> {
  const { context, project, release, target } = options;
  const held = left
    .map((object) => ({ object, names: release === 'all' ? namesOf(object) : ownFinalizers(object, project) }))
    .filter(({ names }) => names.length > 0);
  if (held.length === 0) throw heldByOthers(crd, left);
  const names = [...new Set(held.flatMap((each) => each.names))].join(', ');
  const question = `No running operator handles ${names}. Delete ${counted(held.length)} without its cleanup?`;
  if (release === 'ask' && !(await confirm(context, question))) throw unattended(crd, left);
  const { signal } = target.surroundings;
  for (const { object, names: taken } of held) {
    const rest = namesOf(object).filter((name) => !taken.includes(name));
    const { resourceVersion } = object.metadata ?? {};
    const body = { metadata: { resourceVersion, finalizers: rest } };
    try {
      await resource.patch(keyOf(object.metadata), { type: 'merge', body }, { signal });
    } catch (error) {
      // The object has changed in the meantime; another client may be handling it.
      if (isNotFound(error) || isConflict(error)) continue;
      throw error;
    }
    context.reporter.step(
      'released',
      `${nameOf(object)}: removed ${taken.join(', ')} without running its cleanup`,
      'bad',
    );
  }
}

function namesOf({ metadata }: UnstructuredObject): readonly string[] {
  return metadata?.finalizers ?? [];
}

type Metadata = UnstructuredObject['metadata'];

function keyOf(metadata: Metadata): { readonly name: string; readonly namespace?: string } {
  const { name = '', namespace } = metadata ?? {};
  return { name, ...defined({ namespace }) };
}

function nameOf({ metadata }: UnstructuredObject): string {
  return metadata?.namespace === undefined ? `${metadata?.name}` : `${metadata.namespace}/${metadata.name}`;
}

function ignoreGone(error: unknown): void {
  // Already deleted by another client.
  if (!isNotFound(error)) throw error;
}

function whatHolds(left: Objects): string {
  const lines = left.slice(0, 5).map((object) => `${nameOf(object)}: ${namesOf(object).join(', ')}`);
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
    remedy: 'check its log, then retry; or skip the cleanup: kubewright uninstall --force',
  });
}

function unattended(crd: UnstructuredObject, left: Objects): CliError {
  return new CliError('KW7307', {
    what: whatStays(crd, left),
    why: `no running operator handles these finalizers, and src/main.ts could not run locally:\n${whatHolds(left)}`,
    remedy: 'deploy the operator and retry, or delete the objects without its cleanup: kubewright uninstall --yes',
  });
}

function heldByOthers(crd: UnstructuredObject, left: Objects): CliError {
  return new CliError('KW7307', {
    what: whatStays(crd, left),
    why: `these finalizers belong to other controllers:\n${whatHolds(left)}`,
    remedy: 'check the controller that handles them, and retry; or remove all finalizers: kubewright uninstall --force',
  });
}
