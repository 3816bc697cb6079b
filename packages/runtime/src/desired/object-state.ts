import { findCondition, isConditionTrue, isDeleting, type KubernetesObject } from '@kubewright/apimachinery';

/** How far an object has come, in the words of kstatus. */
export type ObjectState = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

/** A state, and why in a few words. */
export interface ObjectReadiness {
  readonly state: ObjectState;
  /** Empty for what is current. */
  readonly message: string;
}

/** The members that the rules look at; all of them may be missing. */
interface Parts {
  readonly metadata: KubernetesObject['metadata'];
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly conditions: readonly Said[];
}

interface Said {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

type Rule = (parts: Parts) => ObjectReadiness | undefined;

const current: ObjectReadiness = { state: 'Current', message: '' };
const inProgress = (message: string): ObjectReadiness => ({ state: 'InProgress', message });
const failed = (message: string): ObjectReadiness => ({ state: 'Failed', message });

/**
 * Says whether an object is what it was asked to be. Mirrors kstatus (sigs.k8s.io/cli-utils) with one difference: a `Job` is
 * current when it is complete, not when it runs, so that others can wait for its outcome.
 */
export function objectState(object: KubernetesObject): ObjectReadiness {
  if (isDeleting(object)) return { state: 'Terminating', message: 'is being deleted' };
  const parts = partsOf(object);
  const generic = ofConventions(parts);
  if (generic) return generic;
  const rule = rules.get(`${object.kind}.${groupOf(object)}`);
  return rule ? (rule(parts) ?? current) : (ofReady(parts) ?? current);
}

/** What every controller that keeps to the conventions says of its objects. */
function ofConventions({ metadata, status, conditions }: Parts): ObjectReadiness | undefined {
  const { generation } = metadata;
  const observed = status['observedGeneration'];
  if (typeof observed === 'number' && generation !== undefined && observed !== generation) {
    return inProgress(`generation ${generation} was not looked at by its controller yet`);
  }
  const reconciling = findCondition(conditions, 'Reconciling');
  if (reconciling?.status === 'True') return inProgress(textOf(reconciling));
  const stalled = findCondition(conditions, 'Stalled');
  return stalled?.status === 'True' ? failed(textOf(stalled)) : undefined;
}

function ofReady({ conditions }: Parts): ObjectReadiness | undefined {
  const ready = findCondition(conditions, 'Ready');
  return ready === undefined || ready.status === 'True' ? undefined : inProgress(textOf(ready));
}

function ofPod({ status, conditions }: Parts): ObjectReadiness | undefined {
  const { phase } = status;
  if (phase === 'Succeeded') return current;
  if (phase === 'Failed') return failed(String(status['message'] ?? 'has failed'));
  if (isConditionTrue(conditions, 'Ready')) return current;
  const crashing = [...listOf(status['initContainerStatuses']), ...listOf(status['containerStatuses'])].find(
    (each) => mapOf(mapOf(each['state'])['waiting'])['reason'] === 'CrashLoopBackOff',
  );
  if (crashing) return failed(`container ${String(crashing['name'])} crashes again and again`);
  const scheduled = findCondition(conditions, 'PodScheduled');
  if (scheduled?.status === 'False') return inProgress(textOf(scheduled));
  return inProgress(`is ${typeof phase === 'string' ? phase : 'Pending'}`);
}

function ofDeployment(parts: Parts): ObjectReadiness | undefined {
  const { spec, status, conditions } = parts;
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return failed(textOf(progressing));
  if (status['observedGeneration'] === undefined) return inProgress('was not looked at by its controller yet');
  const wanted = numberOf(spec['replicas'], 1);
  return (
    fewer(status, { wanted, members: ['replicas', 'updatedReplicas', 'availableReplicas', 'readyReplicas'] }) ??
    (numberOf(status['replicas']) > numberOf(status['updatedReplicas']) ? inProgress('old pods are going') : undefined)
  );
}

function ofReplicaSet({ spec, status, conditions }: Parts): ObjectReadiness | undefined {
  const failure = findCondition(conditions, 'ReplicaFailure');
  if (failure?.status === 'True') return inProgress(textOf(failure));
  if (status['observedGeneration'] === undefined) return inProgress('was not looked at by its controller yet');
  const wanted = numberOf(spec['replicas'], 1);
  return fewer(status, { wanted, members: ['replicas', 'availableReplicas', 'readyReplicas'] });
}

function ofStatefulSet({ spec, status }: Parts): ObjectReadiness | undefined {
  const strategy = mapOf(spec['updateStrategy']);
  if (status['observedGeneration'] === undefined) return inProgress('was not looked at by its controller yet');
  if (strategy['type'] === 'OnDelete') return undefined;
  const wanted = numberOf(spec['replicas'], 1);
  const partition = numberOf(mapOf(strategy['rollingUpdate'])['partition'], 0);
  const short = fewer(status, { wanted, members: ['replicas', 'readyReplicas'] });
  if (short) return short;
  if (numberOf(status['updatedReplicas']) < wanted - partition) return inProgress('pods are being updated');
  const { currentRevision, updateRevision } = status;
  return partition === 0 && currentRevision !== updateRevision ? inProgress('pods are being updated') : undefined;
}

function ofDaemonSet({ status }: Parts): ObjectReadiness | undefined {
  if (status['observedGeneration'] === undefined) return inProgress('was not looked at by its controller yet');
  const wanted = numberOf(status['desiredNumberScheduled']);
  const members = ['currentNumberScheduled', 'updatedNumberScheduled', 'numberAvailable', 'numberReady'];
  return fewer(status, { wanted, members });
}

function ofJob({ conditions }: Parts): ObjectReadiness | undefined {
  if (isConditionTrue(conditions, 'Complete')) return current;
  const failure = findCondition(conditions, 'Failed');
  return failure?.status === 'True' ? failed(textOf(failure)) : inProgress('is not complete');
}

function ofDefinition({ conditions }: Parts): ObjectReadiness | undefined {
  if (isConditionTrue(conditions, 'Established')) return undefined;
  const names = findCondition(conditions, 'NamesAccepted');
  return names?.status === 'False' ? failed(textOf(names)) : inProgress('is not established yet');
}

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['Pod.', ofPod],
  ['Deployment.apps', ofDeployment],
  ['ReplicaSet.apps', ofReplicaSet],
  ['StatefulSet.apps', ofStatefulSet],
  ['DaemonSet.apps', ofDaemonSet],
  ['Job.batch', ofJob],
  ['CustomResourceDefinition.apiextensions.k8s.io', ofDefinition],
  [
    'PersistentVolumeClaim.',
    ({ status }) =>
      status['phase'] === 'Bound' ? undefined : inProgress(`is ${String(status['phase'] ?? 'Pending')}`),
  ],
  [
    'Service.',
    ({ spec, status }) =>
      spec['type'] === 'LoadBalancer' && listOf(mapOf(status['loadBalancer'])['ingress']).length === 0
        ? inProgress('has no address yet')
        : undefined,
  ],
]);

function fewer(
  status: Parts['status'],
  options: { readonly wanted: number; readonly members: readonly string[] },
): ObjectReadiness | undefined {
  const { wanted, members } = options;
  const short = members.find((member) => numberOf(status[member]) < wanted);
  return short === undefined ? undefined : inProgress(`${short} is ${numberOf(status[short])} of ${wanted}`);
}

function partsOf(object: KubernetesObject): Parts {
  const { spec, status } = object as KubernetesObject & { readonly spec?: unknown; readonly status?: unknown };
  const said = listOf(mapOf(status)['conditions']).filter((each) => typeof each['type'] === 'string');
  // What has a type and a status in words is a condition; anything else is no rule's business.
  const conditions = said.filter((each) => typeof each['status'] === 'string') as unknown as readonly Said[];
  return { metadata: object.metadata, spec: mapOf(spec), status: mapOf(status), conditions };
}

function groupOf({ apiVersion }: KubernetesObject): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function textOf({ type, reason, message }: Said): string {
  return message || reason || type;
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(mapOf) : [];
}

function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
}
