import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { Reporter } from '../program/reporter.ts';
import { type CleanupHold, holdFinalizer, nameOf } from './cleanup-hold.ts';

/** Options for releasing objects. */
export interface ReleaseHoldOptions {
  readonly crd: UnstructuredObject;
  readonly reporter: Reporter;
  readonly namespace: string | undefined;
}

/**
 * Removes our finalizer from the objects that remain, and reports each object that keeps it. Does not throw, because the caller
 * reports why the removal of the objects failed.
 */
export async function releaseHold(hold: CleanupHold, { crd, reporter, namespace }: ReleaseHoldOptions): Promise<void> {
  const kind = crd.metadata?.name;
  try {
    for (const { object, error } of await hold.release(namespace)) {
      const remedy = `retry kubewright uninstall, or remove it with ${editCommand(crd, object)}`;
      const why = `cannot remove ${holdFinalizer}: ${messageOf(error)}; ${remedy}`;
      reporter.step('finalizer remains', `${nameOf(object)}: ${why}`, 'bad');
    }
  } catch (error) {
    const remedy = 'retry kubewright uninstall once the API server can be reached';
    const why = `cannot list ${kind} to remove ${holdFinalizer}: ${messageOf(error)}; ${remedy}`;
    reporter.step('finalizers remain', why, 'bad');
  }
}

function editCommand({ metadata: kind }: UnstructuredObject, { metadata }: UnstructuredObject): string {
  const inNamespace = metadata?.namespace === undefined ? '' : ` -n ${metadata.namespace}`;
  return `kubectl edit ${kind?.name} ${metadata?.name}${inNamespace}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
