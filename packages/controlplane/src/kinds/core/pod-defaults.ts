import { parseImageReference } from '@kubewright/apimachinery/internal';
import type {
  ConfigMapVolumeSource,
  Container,
  HostPathVolumeSource,
  HTTPGetAction,
  ImageVolumeSource,
  ObjectFieldSelector,
  Pod,
  PodSpec,
  Probe,
  ServiceAccountTokenProjection,
  Volume,
} from '../generated/drafts.ts';
import { isEmpty } from '../validation/check.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of pods and pod specs, including the pod templates of workloads. */
export const podDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<Pod>('v1.Pod', defaultPod),
  defaultsOf<PodSpec>('v1.PodSpec', (spec) => {
    // `serviceAccount` is a deprecated alias of `serviceAccountName`; keep both in sync.
    if (spec.serviceAccount) spec.serviceAccountName ||= spec.serviceAccount;
    if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
    spec.dnsPolicy ||= 'ClusterFirst';
    spec.restartPolicy ||= 'Always';
    spec.securityContext ??= {};
    spec.terminationGracePeriodSeconds ??= 30;
    spec.schedulerName ||= 'default-scheduler';
  }),
  defaultsOf<Container>('v1.Container', defaultContainer),
  defaultsOf<Container>('v1.EphemeralContainer', defaultContainer),
  defaultsOf<Probe>('v1.Probe', (probe) => {
    probe.timeoutSeconds ||= 1;
    probe.periodSeconds ||= 10;
    probe.successThreshold ||= 1;
    probe.failureThreshold ||= 3;
  }),
  defaultsOf<HTTPGetAction>('v1.HTTPGetAction', (action) => {
    action.path ||= '/';
    action.scheme ||= 'HTTP';
  }),
  defaultsOf<Volume>('v1.Volume', (volume) => {
    const sources = Object.keys(volume).filter((field) => field !== 'name');
    if (sources.length === 0) volume.emptyDir = {};
  }),
  defaultsOf<ImageVolumeSource>('v1.ImageVolumeSource', (image) => {
    image.pullPolicy ||= pullPolicyOf(image.reference);
  }),
  ...['Secret', 'ConfigMap', 'DownwardAPI', 'Projected'].map((source) =>
    defaultsOf<ConfigMapVolumeSource>(`v1.${source}VolumeSource`, (volume) => {
      volume.defaultMode ??= 0o644;
    }),
  ),
  defaultsOf<HostPathVolumeSource>('v1.HostPathVolumeSource', (source) => {
    source.type ??= '';
  }),
  defaultsOf<ServiceAccountTokenProjection>('v1.ServiceAccountTokenProjection', (projection) => {
    projection.expirationSeconds ??= 3600;
  }),
  defaultsOf<ObjectFieldSelector>('v1.ObjectFieldSelector', (selector) => {
    selector.apiVersion ||= 'v1';
  }),
];

function defaultContainer(container: Container): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image);
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
}

function defaultPod(pod: Pod): void {
  const { spec } = pod;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const { resources } of containers) {
    if (!isEmpty(resources.limits)) resources.requests = { ...resources.limits, ...resources.requests };
  }
  defaultPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (!spec.hostNetwork) return;
  for (const port of containers.flatMap((container) => container.ports ?? [])) port.hostPort ||= port.containerPort;
}

/** Returns `Always` if the tag is `latest` or absent. A reference with only a digest has no tag, and neither has an invalid one. */
function pullPolicyOf(image: string | undefined): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = (image ?? '').split('@', 2);
  if (name === '' || !isReference(image ?? '')) return 'IfNotPresent';
  const tag = /:([^:/]+)$/.exec(name)?.[1] ?? (digest === undefined ? 'latest' : '');
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** Matches most references that occur in practice, because matching is cheaper than parsing. */
const plainReference = /^[a-z0-9]+(?:[./-][a-z0-9]+)*(?::[a-zA-Z0-9][\w.-]{0,127})?$/;

function isReference(image: string): boolean {
  if (plainReference.test(image)) return true;
  try {
    parseImageReference(image);
    return true;
  } catch {
    return false; // the only error is that the reference is invalid
  }
}

/** Resources that can be set at pod level. */
const supportedResource = /^(cpu|memory|hugepages-.+)$/;

/** Derives missing pod-level requests from the pod-level limits. */
function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources?.limits) return;
  const supported = Object.entries(resources.limits).filter(([name]) => supportedResource.test(name));
  const requests = { ...Object.fromEntries(supported), ...resources.requests };
  if (Object.keys(requests).length > 0) resources.requests = requests;
}
