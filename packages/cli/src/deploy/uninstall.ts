import { confirm } from '../program/confirm.ts';
import type { Context } from '../program/context.ts';
import { requireProject } from '../project/find-project.ts';
import { crdsOf } from '../render/install-objects.ts';
import { deleteObjects } from '../target/apply-objects.ts';
import { type ClusterFlags, connect } from '../target/connect.ts';
import { CleanupOperator } from './cleanup-operator.ts';
import { operatorPresence } from './operator-presence.ts';
import { type Release, removeObjects } from './remove-objects.ts';

/** Flags of `uninstall`. */
export interface UninstallOptions extends ClusterFlags {
  /** If the operator is not running, removes its finalizers without running its cleanup. */
  readonly yes?: boolean | undefined;
  /** Removes every finalizer, regardless of its controller. */
  readonly force?: boolean | undefined;
}

/** Removes the kinds of a project and their objects. The objects go first, while the operator can clean up after them. */
export async function uninstall(context: Context, options: UninstallOptions): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const crds = crdsOf(project);
  await using connection = await connect(environment, options);
  reporter.step('cluster', connection.server);
  const target = { client: connection.client, environment };
  const operator = await operatorPresence(target, project);
  const release: Release = options.force ? 'all' : options.yes ? 'own' : (question) => confirm(context, question);
  const flags = options.context === undefined ? [] : [`--context=${options.context}`];
  await using cleanup = new CleanupOperator({ context, project, flags, kubeconfig: connection.kubeconfig });
  for (const crd of crds) {
    const count = await removeObjects(crd, { context, target, project, operator, release, cleanup });
    if (count > 0) reporter.step('objects deleted', `${count} of ${crd.metadata?.name}`);
  }
  const removed = await deleteObjects(target, crds);
  reporter.step('kinds removed', `${removed} of ${crds.length}`);
}
