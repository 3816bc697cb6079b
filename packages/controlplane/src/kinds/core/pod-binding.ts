import { badRequest, type Clock, conflict, StatusError } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { ApiResponse, ConnectSubresource, Draft } from '@kubewright/apiserver';
import type { ConnectCall } from '@kubewright/apiserver/internal';
import type { Binding, Pod } from '../generated/drafts.ts';

/** Serves `pods/binding`: assigns a pod to a node, once. Schedulers call it. */
export function podBinding(clock: Clock): ConnectSubresource {
  return { type: 'connect', connect: (call) => bindPod(call, formatTime(clock.now())) };
}

async function bindPod(call: ConnectCall, now: string): Promise<ApiResponse> {
  const binding = (call.body ?? { metadata: {} }) as unknown as Binding;
  if ((binding.metadata?.name ?? '') !== call.name) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  checkTarget(binding);
  if (call.dryRun) await call.parent();
  else await call.updateParent((draft) => bind(draft, { binding, call, now }));
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  const headers = { 'content-type': 'application/json' };
  return { status: 201, headers, body: new TextEncoder().encode(`${JSON.stringify(status)}\n`) };
}

/** Validates the target. Errors have an unusual form, because upstream does not turn this validation error into a Status. */
function checkTarget({ target }: Binding): void {
  if (typeof (target ?? {}) !== 'object' || Array.isArray(target)) {
    const type = Array.isArray(target) ? 'array' : typeof target === 'boolean' ? 'bool' : typeof target;
    throw badRequest(
      `Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal ${type} into Go struct field Binding.target of type v1.ObjectReference`,
    );
  }
  const { kind = '', name = '' } = target ?? {};
  const faults: string[] = [];
  if (kind !== '' && kind !== 'Node') {
    faults.push(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  }
  if (name === '') faults.push('target.name: Required value');
  if (faults.length === 0) return;
  const message = faults.length === 1 ? (faults[0] as string) : `[${faults.join(', ')}]`;
  throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function bind(
  draft: Draft,
  context: { readonly binding: Binding; readonly call: ConnectCall; readonly now: string },
): void {
  const pod = draft as unknown as Pod;
  const { binding, call } = context;
  const reject = (why: string): never => {
    throw conflict({ group: '', resource: 'pods/binding' }, call.name, why);
  };
  if (pod.metadata.deletionTimestamp) reject(`pod ${pod.metadata.name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName)
    reject(`pod ${pod.metadata.name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if ((pod.spec.schedulingGates ?? []).length > 0)
    reject(`pod ${pod.metadata.name} has non-empty .spec.schedulingGates`);
  const uid = binding.metadata?.uid;
  if (uid && uid !== pod.metadata.uid)
    reject(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
  pod.spec.nodeName = binding.target?.name ?? '';
  if (binding.metadata?.annotations)
    pod.metadata.annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  pod.status.conditions = [
    ...others,
    { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: context.now },
  ];
}
