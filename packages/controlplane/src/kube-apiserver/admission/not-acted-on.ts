import type { AdmissionPlugin, Draft } from '@kubewright/apiserver';
import { ignoredPodFields } from './ignored-pod-fields.ts';

/** Features that a cluster can have or lack. */
export interface OptionalFeatures {
  /** Enforcement of NetworkPolicies. */
  readonly networkPolicies: boolean;
  readonly auditLog: boolean;
}

/** Objects that this cluster stores but ignores completely or in part. */
export interface NotActedOn {
  readonly group: string;
  readonly resources: readonly string[];
  /** The subject of the warning and of the entry in the root README's list. */
  readonly what: string;
  /** The predicate that completes the sentence, such as `restrict no traffic`. */
  readonly effect: string;
  /** True if the object is ignored only on nodes that run containers as processes. @defaultValue false */
  readonly byProcesses?: boolean;
  /** The feature without which the cluster ignores the object. @defaultValue every cluster ignores it */
  readonly needs?: keyof OptionalFeatures;
  /** True if the object uses the ignored feature. @defaultValue every object does */
  readonly applies?: (object: Draft) => boolean;
}

/** Everything that the API server accepts but the cluster ignores. The root README has the same list. */
export const notActedOn: readonly NotActedOn[] = [
  {
    group: 'networking.k8s.io',
    resources: ['networkpolicies'],
    what: 'NetworkPolicies',
    effect: 'are not enforced',
    needs: 'networkPolicies',
  },
  {
    group: '',
    resources: ['namespaces'],
    what: 'Pod Security `audit` labels of namespaces',
    effect: 'have no effect',
    needs: 'auditLog',
    applies: ({ metadata: { labels = {} } }) => (labels[auditLabel] ?? 'privileged') !== 'privileged',
  },
  {
    group: 'admissionregistration.k8s.io',
    resources: ['validatingadmissionpolicybindings'],
    what: '`Audit` actions of admission policy bindings',
    effect: 'are not recorded',
    needs: 'auditLog',
    applies: ({ spec }) =>
      ((spec as { readonly validationActions?: readonly string[] })?.validationActions ?? []).includes('Audit'),
  },
  {
    group: 'autoscaling',
    resources: ['horizontalpodautoscalers'],
    what: 'Metrics of HorizontalPodAutoscalers that are neither Resource nor ContainerResource',
    effect: 'are ignored',
    applies: ({ spec }) =>
      ((spec as { readonly metrics?: readonly { readonly type?: string }[] })?.metrics ?? []).some(
        ({ type }) => type !== 'Resource' && type !== 'ContainerResource',
      ),
  },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    resources: ['flowschemas', 'prioritylevelconfigurations'],
    what: 'FlowSchemas and PriorityLevelConfigurations',
    effect: 'do not change how requests are queued',
  },
  {
    group: 'resource.k8s.io',
    resources: ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
    what: 'Resource claims, device classes and resource slices',
    effect: 'are stored, but allocate no devices',
  },
  {
    group: 'networking.k8s.io',
    resources: ['servicecidrs'],
    what: 'ServiceCIDRs',
    effect: 'add addresses that Services can request, but that nodes do not route',
  },
  {
    group: 'storage.k8s.io',
    resources: ['csidrivers', 'volumeattachments', 'csistoragecapacities'],
    what: 'CSI drivers, their capacities and VolumeAttachments',
    effect: 'attach no volumes',
  },
  ...ignoredPodFields,
];

/**
 * Warns users about objects that this cluster ignores. The warnings start with `kubewright: `, so they differ from all
 * upstream warnings.
 *
 * @param options - `processes`: true if some nodes run containers as processes.
 */
export function notActedOnWarnings({
  processes,
  features,
}: {
  readonly processes: boolean;
  readonly features: OptionalFeatures;
}): AdmissionPlugin {
  const rules = notActedOn.filter(
    ({ byProcesses = false, needs }) => (processes || !byProcesses) && (needs === undefined || !features[needs]),
  );
  return {
    name: 'NotActedOn',
    handles: ({ group, resource }) => rules.some((rule) => rule.group === group && rule.resources.includes(resource)),
    async validate({ operation, definition, subresource, object, user, warn }) {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      // The control plane gets no warnings, because it writes objects on behalf of users.
      if (!object || subresource !== '' || isControlPlane(user.username)) return;
      const { group, resource } = definition;
      for (const { resources, applies, what, effect, ...rule } of rules) {
        if (rule.group !== group || !resources.includes(resource) || applies?.(object) === false) continue;
        warn(`kubewright: ${what} ${effect} in this cluster`);
      }
    },
  };
}

const auditLabel = 'pod-security.kubernetes.io/audit';

function isControlPlane(user: string): boolean {
  return /^system:(apiserver|kube-|node:|serviceaccount:kube-system:)/.test(user);
}
