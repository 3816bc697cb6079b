/**
 * Acts as the kubelets: starts, finishes and removes pods through the API, so that controllers have something to react to. The
 * image of a pod's first container says what the pod does: `app:*` runs and becomes ready, `bad:*` stays Pending, `unready:*`
 * runs without becoming ready, `ok:*` succeeds, `fail:*` fails with exit code 1 (`fail-N:*` with exit code N).
 */
const merge = 'application/merge-patch+json';
const now = () => new Date(Date.now()).toISOString().replace(/\.\d+Z$/, 'Z');

export const nodeName = 'player';

export async function createNode(call) {
  await call('POST', '/api/v1/nodes', { metadata: { name: nodeName, labels: { 'kubernetes.io/hostname': nodeName } } });
  await refreshNode(call);
}

/** Reports the node as healthy. Without these heartbeats, a real node controller marks it as unreachable. */
export async function refreshNode(call) {
  const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'played', lastHeartbeatTime: now(), lastTransitionTime: '2026-01-01T00:00:00Z' };
  const amounts = { cpu: '64', memory: '64Gi', pods: '500' };
  const status = { capacity: amounts, allocatable: amounts, conditions: [condition] };
  await call('PATCH', `/api/v1/nodes/${nodeName}/status`, { status }, merge);
  await call('PATCH', `/api/v1/nodes/${nodeName}`, { spec: { taints: null } }, merge);
  const lease = { spec: { holderIdentity: nodeName, leaseDurationSeconds: 40, renewTime: new Date(Date.now()).toISOString().replace('Z', '000Z') } };
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const { status: code } = await call('PATCH', `${leases}/${nodeName}`, lease, merge);
  if (code === 404) await call('POST', leases, { metadata: { name: nodeName }, ...lease });
}

/** Advances every pod of the namespaces by one step. */
export async function playOnce(call, namespaces, behaviorOf = ({ spec }) => spec.containers[0].image.split(':')[0]) {
  for (const namespace of namespaces) {
    const { json } = await call('GET', `/api/v1/namespaces/${namespace}/pods`);
    for (const pod of json?.items ?? []) await playPod(call, pod, behaviorOf);
  }
}

let address = 0;

async function playPod(call, pod, behaviorOf) {
  const { metadata, spec, status } = pod;
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp) {
    if (metadata.annotations?.linger) return;
    await call('DELETE', path, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } });
    return;
  }
  if (!spec.nodeName || status.phase !== 'Pending') return;
  const behavior = behaviorOf(pod);
  if (behavior === 'bad' || metadata.annotations?.wait) return;
  await call('PATCH', `${path}/status`, { metadata: { uid: metadata.uid }, status: statusFor(behavior, spec) }, merge);
}

function statusFor(behavior, spec) {
  const time = now();
  const ready = behavior === 'app' ? 'True' : 'False';
  const ended = behavior === 'ok' || behavior.startsWith('fail');
  const exitCode = behavior === 'ok' ? 0 : Number(behavior.split('-')[1] ?? 1);
  const ip = `10.9.${Math.floor(address / 250) % 250}.${(address++ % 250) + 1}`;
  const condition = (type, value) => ({ type, status: value, lastTransitionTime: time });
  return {
    phase: ended ? (exitCode === 0 ? 'Succeeded' : 'Failed') : 'Running',
    startTime: time,
    podIP: ip,
    podIPs: [{ ip }],
    hostIP: '10.8.0.1',
    conditions: [condition('PodScheduled', 'True'), condition('Initialized', 'True'), condition('ContainersReady', ready), condition('Ready', ready)],
    containerStatuses: spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: image,
      ready: ready === 'True',
      restartCount: 0,
      state: ended
        ? { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: time, finishedAt: time } }
        : { running: { startedAt: time } },
    })),
  };
}
