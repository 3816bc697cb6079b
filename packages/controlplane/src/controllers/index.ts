import type { ControllerDefinition } from '@kubewright/runtime';
import { bootstrapTokenCleaner } from './bootstrap-token-cleaner.ts';
import type { BuiltInController } from './built-in-controller.ts';
import { certificateApprover } from './certificates/certificate-approver.ts';
import { certificateCleaner } from './certificates/certificate-cleaner.ts';
import { certificateSigner, type SigningAuthority } from './certificates/certificate-signer.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import { cronJobController } from './cron-job/cron-job.ts';
import { customResourceCleanup } from './custom-resource-cleanup.ts';
import { daemonSetController } from './daemon-set/daemon-set.ts';
import { deploymentController } from './deployment/deployment.ts';
import { disruptionController } from './disruption/disruption.ts';
import { endpointSliceController } from './endpoint-slice/endpoint-slice.ts';
import { endpointSliceMirroringController } from './endpoint-slice-mirroring/endpoint-slice-mirroring.ts';
import { endpointsController } from './endpoints/endpoints.ts';
import { flowSchemaStatus } from './flow-schema-status.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import { jobController } from './job/job.ts';
import { ttlAfterFinished } from './job/ttl-after-finished.ts';
import { namespaceController } from './namespace/namespace.ts';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle.ts';
import { nodeTtlController } from './node-ttl/node-ttl.ts';
import { podAutoscalerController } from './pod-autoscaler/pod-autoscaler.ts';
import { podGarbageCollector } from './pod-gc/pod-gc.ts';
import { replicaSetController, replicationController } from './replica-set/replica-set.ts';
import { resourceQuotaController } from './resource-quota/resource-quota.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';
import { serviceAccountController } from './service-account.ts';
import {
  type ServiceAccountTokensOptions,
  serviceAccountTokensController,
} from './service-account-tokens/service-account-tokens.ts';
import { statefulSetController } from './stateful-set/stateful-set.ts';
import { taintEvictionController } from './taint-eviction/taint-eviction.ts';
import { validatingPolicyStatus } from './validating-policy-status/validating-policy-status.ts';
import { volumeBinder } from './volume-binder/volume-binder.ts';
import { attributesClassProtectionController } from './volumes/attributes-class-protection.ts';
import { claimProtectionController } from './volumes/claim-protection.ts';
import { ephemeralVolumeController } from './volumes/ephemeral-volume.ts';
import { expansionController } from './volumes/expansion.ts';
import { volumeProtectionController } from './volumes/volume-protection.ts';

export type { BuiltInController } from './built-in-controller.ts';

/** Options for {@link builtInControllers}. */
export interface BuiltInControllersOptions {
  /** The CA certificate (PEM) of the API server, which is published to every namespace. */
  readonly ca: string;
  /** The authority that signs the certificates of approved signing requests. */
  readonly signer: SigningAuthority;
  /** Issues the tokens that are stored in Secrets. */
  readonly issueToken: ServiceAccountTokensOptions['issueToken'];
}

/** A factory for a built-in controller. Each start of the component needs a new controller. */
export interface BuiltInControllerFactory
  extends Pick<BuiltInController, 'account' | 'actsAsServer' | 'actsAsManager'> {
  /** The name of the component, as in kube-controller-manager's `--controllers` flag. */
  readonly name: string;
  /** Creates a new controller for each start. */
  readonly definition: () => ControllerDefinition;
}

/**
 * The built-in controllers, by their names in kube-controller-manager 1.36. To add a controller, add a line here.
 * Component lists then include the controller in `controllers` and `*`, and can enable or disable it by name.
 */
const controllers: Readonly<Record<string, (options: BuiltInControllersOptions) => BuiltInController>> = {
  'namespace-controller': namespaceController,
  'serviceaccount-controller': serviceAccountController,
  'root-ca-certificate-publisher-controller': rootCaPublisher,
  'clusterrole-aggregation-controller': clusterRoleAggregation,
  'garbage-collector-controller': garbageCollector,
  'node-lifecycle-controller': nodeLifecycleController,
  'taint-eviction-controller': taintEvictionController,
  'ttl-controller': nodeTtlController,
  'replicaset-controller': replicaSetController,
  'replicationcontroller-controller': replicationController,
  'deployment-controller': deploymentController,
  'statefulset-controller': statefulSetController,
  'job-controller': jobController,
  'daemonset-controller': daemonSetController,
  'cronjob-controller': cronJobController,
  'ttl-after-finished-controller': ttlAfterFinished,
  'endpointslice-controller': endpointSliceController,
  'endpointslice-mirroring-controller': endpointSliceMirroringController,
  'endpoints-controller': endpointsController,
  'resourcequota-controller': resourceQuotaController,
  'horizontal-pod-autoscaler-controller': podAutoscalerController,
  'disruption-controller': disruptionController,
  'pod-garbage-collector-controller': podGarbageCollector,
  'persistentvolume-binder-controller': volumeBinder,
  'persistentvolume-expander-controller': expansionController,
  'ephemeral-volume-controller': ephemeralVolumeController,
  'persistentvolumeclaim-protection-controller': claimProtectionController,
  'persistentvolume-protection-controller': volumeProtectionController,
  'volumeattributesclass-protection-controller': attributesClassProtectionController,
  'serviceaccount-token-controller': serviceAccountTokensController,
  'token-cleaner-controller': bootstrapTokenCleaner,
  'certificatesigningrequest-approving-controller': certificateApprover,
  'certificatesigningrequest-signing-controller': certificateSigner,
  'certificatesigningrequest-cleaner-controller': certificateCleaner,
  'validatingadmissionpolicy-status-controller': validatingPolicyStatus,
};

/** Controllers that upstream runs inside kube-apiserver. They run whenever the API server runs. */
const serverControllers: typeof controllers = {
  'custom-resource-cleanup': customResourceCleanup,
  'flow-schema-status': flowSchemaStatus,
};

/** Returns the built-in controllers, each with its own service account. */
export function builtInControllers(options: BuiltInControllersOptions): readonly BuiltInControllerFactory[] {
  return Object.entries({ ...serverControllers, ...controllers }).map(([name, make]) => {
    const { account, actsAsServer, actsAsManager } = make(options);
    return { name, account, actsAsServer, actsAsManager, definition: () => make(options).definition };
  });
}
