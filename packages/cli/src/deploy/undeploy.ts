import type { UnstructuredObject } from '@kubewright/apimachinery';
import { confirm } from '../program/confirm.ts';
import type { Context } from '../program/context.ts';
import { isWebhookFailure } from '../program/webhook-failure.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { installObjects } from '../render/install-objects.ts';
import { isConverted } from '../render/webhook-objects.ts';
import { deleteObjects, type Target } from '../target/apply-objects.ts';
import { type ClusterFlags, connect } from '../target/connect.ts';
import { customResource } from './custom-resource.ts';
import { operatorPresence } from './operator-presence.ts';
import { ownFinalizers } from './own-finalizers.ts';
import { type Release, removeObjects } from './remove-objects.ts';

/** Objects that carry the operator's finalizers, with their kind. */
interface Held {
  readonly crd: UnstructuredObject;
  readonly objects: readonly UnstructuredObject[];
  /** True if the conversion webhook cannot be called, so any object may have the operator's finalizers. */
  readonly isUnreadable: boolean;
}

/** Flags of `undeploy`. */
export interface UndeployOptions extends ClusterFlags {
  /** Skips the confirmation. If the operator is not running, removes its finalizers without running its cleanup. */
  readonly yes?: boolean | undefined;
}

/** Removes the operator. Its kinds and their objects stay, except for objects in the operator's namespace, which is deleted. */
export async function undeploy(context: Context, options: UndeployOptions): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const all = installObjects(project);
  const objects = all.filter(({ kind }) => kind !== 'CustomResourceDefinition');
  const crds = all.filter(({ kind }) => kind === 'CustomResourceDefinition');
  await using connection = await connect(environment, options);
  reporter.step('cluster', connection.server);
  const target = { client: connection.client, environment };
  const held = await heldObjects(target, { project, crds });
  const release: Release = options.yes ? 'own' : (question) => confirm(context, question);
  await emptyNamespace(held, { context, target, project, release });
  const removed = await deleteObjects(target, objects);
  const left = await installed(target, crds);
  const stay = left.length > 0 ? '; to remove its kinds, run kubewright uninstall' : '';
  reporter.step('operator removed', `${removed} objects${stay}`);
  reportHeld(held, { context, project });
  for (const { metadata } of left.filter(isConverted)) {
    const todo = 'only the storage version can be used until the operator is deployed again';
    reporter.step('no conversion', `${metadata?.name}: ${todo}`, 'bad');
  }
}

/** Returns the kinds that the server knows; `uninstall` may have removed some. */
async function installed(
  { client }: Target,
  crds: readonly UnstructuredObject[],
): Promise<readonly UnstructuredObject[]> {
  const found: UnstructuredObject[] = [];
  for (const crd of crds) if (await customResource(client, crd)) found.push(crd);
  return found;
}

async function heldObjects(
  { client, environment }: Target,
  { project, crds }: { readonly project: Project; readonly crds: readonly UnstructuredObject[] },
): Promise<readonly Held[]> {
  const found: Held[] = [];
  for (const crd of crds) {
    const resource = await customResource(client, crd);
    if (!resource) continue;
    try {
      const { items } = await resource.list({ signal: environment.signal });
      const objects = items.filter((object) => ownFinalizers(object, project).length > 0);
      if (objects.length > 0) found.push({ crd, objects, isUnreadable: false });
    } catch (error) {
      if (!isWebhookFailure(error)) throw error;
      found.push({ crd, objects: [], isUnreadable: true });
    }
  }
  return found;
}

/**
 * Deletes the objects in the operator's namespace first: without the operator, their finalizers would block the
 * deletion of the namespace.
 */
async function emptyNamespace(
  held: readonly Held[],
  {
    context,
    target,
    project,
    release,
  }: { readonly context: Context; readonly target: Target; readonly project: Project; readonly release: Release },
): Promise<void> {
  const namespace = namespaceOf(project);
  const inside = held.filter(
    ({ objects, isUnreadable }) => isUnreadable || objects.some(({ metadata }) => metadata?.namespace === namespace),
  );
  if (inside.length === 0) return;
  const operator = await operatorPresence(target, project);
  for (const { crd } of inside) {
    const count = await removeObjects(crd, { context, target, project, operator, release, namespace });
    if (count === 0) continue;
    context.reporter.step(
      'objects deleted',
      `${count} of ${crd.metadata?.name}, in namespace ${namespace}, which is also deleted`,
    );
  }
}

/** Reports objects that cannot be deleted without the operator. */
function reportHeld(
  held: readonly Held[],
  { context, project }: { readonly context: Context; readonly project: Project },
): void {
  for (const { crd, objects } of held) {
    const left = objects.filter(({ metadata }) => metadata?.namespace !== namespaceOf(project));
    if (left.length === 0) continue;
    const names = [...new Set(left.flatMap((object) => ownFinalizers(object, project)))];
    const finalizers = `the ${names.length === 1 ? 'finalizer' : 'finalizers'} ${names.join(', ')}`;
    const count = left.length === 1 ? '1 object' : `${left.length} objects`;
    const verb = left.length === 1 ? 'has' : 'have';
    const remedy = `deploy the operator again, or run kubewright uninstall, to delete ${left.length === 1 ? 'it' : 'them'}`;
    const what = `${count} of ${crd.metadata?.name} still ${verb} ${finalizers}; ${remedy}`;
    context.reporter.step('objects remain', what, 'bad');
  }
}

function namespaceOf({ name }: Project): string {
  return `${name}-system`;
}
