import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { objectForm } from '../../desired/object-form.ts';
import { type ContextOptions, type ContextParts, LoopContext } from '../../reconcile/context.ts';
import type { ControllerDefinition } from '../definition/controller-definition.ts';
import type { ControllerParts } from '../definition/controller-parts.ts';
import { ReadObject } from './read-object.ts';
import type { Step } from './reconcile-run.ts';

/**
 * Returns the innermost step, which builds the context and calls the controller's function with the key or the object.
 */
export function callReconciler(
  definition: ControllerDefinition,
  parts: Pick<ControllerParts, 'cache' | 'clock' | 'random' | 'kinds'> & Pick<ContextParts, 'applies'>,
): Step {
  const { cache, clock, random, kinds, applies } = parts;
  const {
    name,
    run: wanted,
    primary,
    owns,
    finalizers,
    needsFinalizers = always,
    fenced = true,
    fieldManager = name,
  } = definition;
  const shared: ContextParts = {
    cache,
    clock,
    random,
    kinds,
    applies,
    fieldManager,
    primaryKind: primary,
    checkPrimary: fenced,
  };
  const context = (options: ContextOptions): LoopContext => new LoopContext(shared, options);
  if (wanted.level === 'request') {
    return (run) => wanted.reconcile(run.request, context({ run, primary: undefined, readAt: undefined }));
  }
  const kind = primary as Kind<KubernetesObject>; // The cast is safe: an object controller always has a primary kind.
  const form = objectForm({ run: wanted, primary: kind, owns, fieldManager });
  const reader = new ReadObject({ kind, finalizers, needsFinalizers, form, context, cache, clock });
  return (run) => reader.run(run);
}

function always(): boolean {
  return true;
}
