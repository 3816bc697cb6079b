import { findCondition, isConditionTrue, isDeleting, type KubernetesObject } from '@kubewright/apimachinery';

/** The state of an object, as defined by kstatus. */
type ObjectState = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

/** A state with its reason. */
export interface ObjectReadiness {
  readonly state: ObjectState;
  /** The text after the object's name in a sentence, such as `is Pending: waiting for the volume disk-1`. Empty for a current object. */
  readonly message: string;
}

/** The fields that the rules read; any field may be missing. */
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
const notReady = (why: string): ObjectReadiness => inProgress(`is not ready: ${why}`);
const unobserved: ObjectReadiness = notReady('its controller has not observed it yet');

/**
 * Returns the state of an object and what it waits for. Mirrors kstatus (sigs.k8s.io/cli-utils) with one difference: a
 * `Job` is current when it is complete rather than when it runs, so that other objects can wait for its outcome.
 *
 * @example
 * ```ts
 * const { state, message } = objectState(deployment);
 * ```
 */
export function objectState(object: KubernetesObject): ObjectReadiness {
  if (isDeleting(object)) return { state: 'Terminating', message: 'is being deleted' };
  const parts = partsOf(object);
  const generic = ofConventions(parts);
  if (generic) return generic;
  const rule = rules.get(`${object.kind}.${groupOf(object)}`);
  return rule ? (rule(parts) ?? current) : (ofReady(parts) ?? current);
}

/** Evaluates the conventions that apply to every kind. */
function ofConventions({ metadata, status, conditions }: Parts): ObjectReadiness | undefined {
  const { generation } = metadata;
  const observed = status['observedGeneration'];
  if (typeof observed === 'number' && generation !== undefined && observed !== generation) {
    return inProgress(`is not ready: its controller has not observed generation ${generation} yet`);
  }
  const reconciling = findCondition(conditions, 'Reconciling');
  if (reconciling?.status === 'True') return inProgress(`is reconciling: ${textOf(reconciling)}`);
  const stalled = findCondition(conditions, 'Stalled');
  return stalled?.status === 'True' ? failed(`is stalled: ${textOf(stalled)}`) : undefined;
}

function ofReady({ conditions }: Parts): ObjectReadiness | undefined {
  const ready = findCondition(conditions, 'Ready');
  return ready === undefined || ready.status === 'True' ? undefined : notReady(textOf(ready));
}

function ofPod({ status, conditions }: Parts): ObjectReadiness | undefined {
  const phase = typeof status['phase'] === 'string' ? status['phase'] : 'Pending';
  if (phase === 'Succeeded') return current;
  const text = because(status);
  if (phase === 'Failed') return failed(text === '' ? 'is Failed' : `is Failed: ${text}`);
  if (isConditionTrue(conditions, 'Ready')) return current;
  const containers = [...listOf(status['initContainerStatuses']), ...listOf(status['containerStatuses'])];
  const waiting = containers.flatMap((each) => {
    const state = mapOf(mapOf(each['state'])['waiting']);
    const { reason } = state;
    return typeof reason === 'string' ? [{ name: String(each['name']), reason, text: because(state) }] : [];
  });
  const crashing = waiting.find(({ reason }) => reason === 'CrashLoopBackOff');
  if (crashing) return failed(`is ${phase}: container ${crashing.name} is in CrashLoopBackOff`);
  const scheduled = findCondition(conditions, 'PodScheduled');
  if (scheduled?.status === 'False') return inProgress(`is ${phase}: ${textOf(scheduled)}`);
  // Normal waiting reasons of a starting pod's container carry no information.
  const held = waiting.find(({ reason }) => reason !== 'ContainerCreating' && reason !== 'PodInitializing');
  if (held) return inProgress(`is ${phase}: container ${held.name} is waiting: ${held.text}`);
  const ready = findCondition(conditions, 'Ready');
  return inProgress(ready?.message ? `is ${phase}: ${ready.message}` : `is ${phase}`);
}

function ofDeployment(parts: Parts): ObjectReadiness | undefined {
  const { spec, status, conditions } = parts;
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return failed(`is not ready: ${textOf(progressing)}`);
  if (status['observedGeneration'] === undefined) return unobserved;
  const failure = findCondition(conditions, 'ReplicaFailure');
  if (failure?.status === 'True') return notReady(textOf(failure));
  const wanted = numberOf(spec['replicas'], 1);
  return (
    fewer(status, { wanted, members: ['replicas', 'updatedReplicas', 'availableReplicas', 'readyReplicas'] }) ??
    (numberOf(status['replicas']) > numberOf(status['updatedReplicas'])
      ? notReady('old pods are being deleted')
      : undefined)
  );
}

function ofReplicaSet({ spec, status, conditions }: Parts): ObjectReadiness | undefined {
  const failure = findCondition(conditions, 'ReplicaFailure');
  if (failure?.status === 'True') return notReady(textOf(failure));
  if (status['observedGeneration'] === undefined) return unobserved;
  const wanted = numberOf(spec['replicas'], 1);
  return fewer(status, { wanted, members: ['replicas', 'availableReplicas', 'readyReplicas'] });
}

function ofStatefulSet({ spec, status }: Parts): ObjectReadiness | undefined {
  const strategy = mapOf(spec['updateStrategy']);
  if (status['observedGeneration'] === undefined) return unobserved;
  if (strategy['type'] === 'OnDelete') return undefined;
  const wanted = numberOf(spec['replicas'], 1);
  const partition = numberOf(mapOf(strategy['rollingUpdate'])['partition'], 0);
  const short = fewer(status, { wanted, members: ['replicas', 'readyReplicas'] });
  if (short) return short;
  if (numberOf(status['updatedReplicas']) < wanted - partition) return notReady('pods are being updated');
  const { currentRevision, updateRevision } = status;
  return partition === 0 && currentRevision !== updateRevision ? notReady('pods are being updated') : undefined;
}

function ofDaemonSet({ status }: Parts): ObjectReadiness | undefined {
  if (status['observedGeneration'] === undefined) return unobserved;
  const wanted = numberOf(status['desiredNumberScheduled']);
  const members = ['currentNumberScheduled', 'updatedNumberScheduled', 'numberAvailable', 'numberReady'];
  return fewer(status, { wanted, members });
}

function ofJob({ conditions }: Parts): ObjectReadiness | undefined {
  if (isConditionTrue(conditions, 'Complete')) return current;
  const failure = findCondition(conditions, 'Failed');
  return failure?.status === 'True' ? failed(`has failed: ${textOf(failure)}`) : inProgress('is not complete');
}

function ofDefinition({ conditions }: Parts): ObjectReadiness | undefined {
  if (isConditionTrue(conditions, 'Established')) return undefined;
  const names = findCondition(conditions, 'NamesAccepted');
  return names?.status === 'False'
    ? failed(`is not established: ${textOf(names)}`)
    : inProgress('is not established yet');
}

function ofClaim({ spec, status }: Parts): ObjectReadiness | undefined {
  const { phase } = status;
  const { storageClassName, volumeName } = spec;
  if (phase === 'Bound') return undefined;
  if (phase === 'Lost') return inProgress('is Lost: its volume no longer exists');
  if (volumeName) return inProgress(`is Pending: waiting for the volume ${volumeName}`);
  // The claim's events contain more details, but reading them needs another permission and another watch.
  return inProgress(
    storageClassName
      ? `is Pending: waiting for a volume of storage class ${storageClassName}`
      : 'is Pending: waiting for a volume; the claim has no storage class to provision one',
  );
}

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['Pod.', ofPod],
  ['Deployment.apps', ofDeployment],
  ['ReplicaSet.apps', ofReplicaSet],
  ['StatefulSet.apps', ofStatefulSet],
  ['DaemonSet.apps', ofDaemonSet],
  ['Job.batch', ofJob],
  ['CustomResourceDefinition.apiextensions.k8s.io', ofDefinition],
  ['PersistentVolumeClaim.', ofClaim],
  [
    'Service.',
    ({ spec, status }) =>
      spec['type'] === 'LoadBalancer' && listOf(mapOf(status['loadBalancer'])['ingress']).length === 0
        ? inProgress('is waiting for the address of its load balancer')
        : undefined,
  ],
]);

function fewer(
  status: Parts['status'],
  options: { readonly wanted: number; readonly members: readonly string[] },
): ObjectReadiness | undefined {
  const { wanted, members } = options;
  const short = members.find((member) => numberOf(status[member]) < wanted);
  return short === undefined ? undefined : notReady(`${short} is ${numberOf(status[short])} of ${wanted}`);
}

function partsOf(object: KubernetesObject): Parts {
  const { spec, status } = object as KubernetesObject & { readonly spec?: unknown; readonly status?: unknown };
  const said = listOf(mapOf(status)['conditions']).filter((each) => typeof each['type'] === 'string');
  // An item with a string type and status is a condition; everything else is ignored.
  const conditions = said.filter((each) => typeof each['status'] === 'string') as unknown as readonly Said[];
  return { metadata: object.metadata, spec: mapOf(spec), status: mapOf(status), conditions };
}

function groupOf({ apiVersion }: KubernetesObject): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Returns the message of a status, or its reason. */
function because({ message, reason }: Readonly<Record<string, unknown>>): string {
  if (typeof message === 'string' && message !== '') return message;
  return typeof reason === 'string' ? reason : '';
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
