import type { ControllerDefinition } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import { customResourceCleanup } from './custom-resource-cleanup.ts';
import { deploymentController } from './deployment/deployment.ts';
import { disruptionController } from './disruption/disruption.ts';
import { endpointSliceController } from './endpoint-slice/endpoint-slice.ts';
import { endpointsController } from './endpoints/endpoints.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import { jobController } from './job/job.ts';
import { ttlAfterFinished } from './job/ttl-after-finished.ts';
import { namespaceController } from './namespace/namespace.ts';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle.ts';
import { podGarbageCollector } from './pod-gc/pod-gc.ts';
import { replicaSetController, replicationController } from './replica-set/replica-set.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';
import { serviceAccountController } from './service-account.ts';
import { statefulSetController } from './stateful-set/stateful-set.ts';

export type { BuiltInController } from './built-in-controller.ts';

/** Options for {@link builtInControllers}. */
export interface BuiltInControllersOptions {
  /** CA certificate (PEM) that signs the API server's certificate; published to every namespace. */
  readonly ca: string;
}

/** A factory that creates a new built-in controller for each start. */
export interface BuiltInControllerFactory extends Pick<BuiltInController, 'account'> {
  readonly definition: () => ControllerDefinition;
}

/** Returns the controllers that every cluster runs, each under its own service account. */
export function builtInControllers(options: BuiltInControllersOptions): readonly BuiltInControllerFactory[] {
  const factories: readonly (() => BuiltInController)[] = [
    namespaceController,
    serviceAccountController,
    () => rootCaPublisher(options),
    clusterRoleAggregation,
    customResourceCleanup,
    garbageCollector,
    nodeLifecycleController,
    replicaSetController,
    replicationController,
    deploymentController,
    statefulSetController,
    jobController,
    ttlAfterFinished,
    endpointSliceController,
    endpointsController,
    disruptionController,
    podGarbageCollector,
  ];
  return factories.map((make) => ({ account: make().account, definition: () => make().definition }));
}
