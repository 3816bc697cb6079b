import type { KubernetesClient } from '@kubewright/client';
import type { ReconcileTracing } from '../../tracing/reconcile-tracing.ts';
import type { ControllerDefinition } from '../definition/controller-definition.ts';
import type { Stage } from './reconcile-run.ts';

/** Runs each reconcile in a span, with a span for each of its calls. */
export function traceReconcile(
  tracing: Pick<ReconcileTracing, 'reconcile'>,
  { definition, client }: { readonly definition: ControllerDefinition; readonly client: KubernetesClient },
): Stage {
  const { name: controller, primary } = definition;
  const ofController = {
    controller,
    ...(primary && { controllerGroup: primary.group, controllerKind: primary.kind }),
  };
  return (next) => (run) => {
    const { namespace, name } = run.request;
    const attributes = {
      ...ofController,
      reconcileID: run.reconcileID,
      'k8s.object.name': name,
      ...(namespace && { 'k8s.namespace.name': namespace }),
    };
    return tracing.reconcile(attributes, (calls) => {
      run.tracedClient = client.intercepted(calls);
      return next(run);
    });
  };
}
