// Random clusters and pods for comparisons with kube-scheduler. Equal seeds give equal objects.

/** Returns a generator of random choices (mulberry32). */
function chooser(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    below,
    one: (...values) => values[below(values.length)],
    chance: (percent) => below(100) < percent,
    times: (count, make) => Array.from({ length: count }, (_, i) => make(i)),
  };
}

const zoneKey = 'topology.kubernetes.io/zone';
const hostKey = 'kubernetes.io/hostname';
export const namespaces = { 'sched-a': { team: 'red' }, 'sched-b': { team: 'blue' } };

/** Returns the objects of a cluster, and pending pods. Schedule one pending pod at a time, without the others in the cluster. */
export function randomCluster(seed) {
  const random = chooser(seed);
  const nodes = random.times(3 + random.below(6), (i) => randomNode(random, `node-${i}`));
  const running = nodes.flatMap((node) =>
    random.times(random.below(4), (i) => runningPod(random, `${node.metadata.name}-${i}`, node.metadata.name)),
  );
  running.forEach((pod, i) => {
    pod.status = { startTime: new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString().replace('.000Z', 'Z') };
  });
  const services = random.chance(70) ? [service('sched-a', { app: 'web' })] : [];
  const pending = random.times(20, (i) => pendingPod(random, `pod-${i}`, nodes));
  return { nodes, running, services, pending, ...storage(random, nodes) };
}

function randomNode(random, name) {
  const labels = { [hostKey]: name };
  if (random.chance(85)) labels[zoneKey] = random.one('z1', 'z2', 'z3');
  if (random.chance(50)) labels.disk = random.one('ssd', 'hdd');
  if (random.chance(30)) labels.size = random.one('3', '7', '12');
  const spec = {};
  if (random.chance(10)) spec.unschedulable = true;
  if (random.chance(30))
    spec.taints = random
      .times(1 + random.below(2), () => randomTaint(random))
      .filter((one, i, all) => all.findIndex(({ key, effect }) => key === one.key && effect === one.effect) === i);
  const allocatable = {
    cpu: random.one('2', '4', '8', '1500m'),
    memory: random.one('2Gi', '4Gi', '8000Mi'),
    pods: random.chance(10) ? '3' : '110',
    'ephemeral-storage': random.one('10Gi', '20G'),
  };
  if (random.chance(40)) allocatable['example.com/gpu'] = random.one('1', '2', '4');
  const images = random.times(random.below(3), () => ({
    names: [random.one('big:1', 'bigger:latest', 'tiny:1')],
    sizeBytes: random.one(700, 300, 90) * 1024 * 1024,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec,
    status: { capacity: allocatable, allocatable, images },
  };
}

function randomTaint(random) {
  const effect = random.one('NoSchedule', 'PreferNoSchedule', 'NoExecute', 'PreferNoSchedule');
  return { key: random.one('dedicated', 'spot'), value: random.one('a', 'b'), effect };
}

function runningPod(random, name, nodeName) {
  const spec = { ...podSpec(random), nodeName, priority: random.one(0, 0, -10, 50, 100) };
  if (random.chance(25)) spec.affinity = podAffinity(random);
  return pod(random.one(...Object.keys(namespaces)), name, { labels: randomLabels(random), spec });
}

function pendingPod(random, name, nodes) {
  const namespace = random.one(...Object.keys(namespaces));
  const spec = podSpec(random);
  if (random.chance(15)) spec.priority = random.one(60, 200);
  if (random.chance(40)) spec.tolerations = random.times(1 + random.below(2), () => toleration(random));
  if (random.chance(15)) spec.nodeSelector = { disk: random.one('ssd', 'hdd') };
  const affinity = {};
  if (random.chance(25)) affinity.nodeAffinity = nodeAffinity(random, nodes);
  if (random.chance(35)) Object.assign(affinity, podAffinity(random));
  if (Object.keys(affinity).length > 0) spec.affinity = affinity;
  if (random.chance(35))
    spec.topologySpreadConstraints = random
      .times(1 + random.below(2), () => spread(random))
      .filter((one, i, all) => all.findIndex((other) => other.topologyKey === one.topologyKey) === i);
  if (random.chance(15)) spec.volumes = [volume(random)];
  return pod(namespace, name, { labels: randomLabels(random), spec });
}

function randomLabels(random) {
  return { app: random.one('web', 'web', 'db', 'cache'), track: random.one('stable', 'canary') };
}

function podSpec(random) {
  const requests = () => {
    const list = {};
    if (random.chance(70)) list.cpu = random.one('100m', '500m', '1', '2500m');
    if (random.chance(70)) list.memory = random.one('64Mi', '512Mi', '1Gi', '3G');
    if (random.chance(8)) list['ephemeral-storage'] = random.one('1Gi', '12Gi');
    if (random.chance(10)) list['example.com/gpu'] = random.one('1', '2');
    return list;
  };
  const container = (name) => {
    const own = requests();
    const gpu = own['example.com/gpu'];
    return {
      name,
      image: random.one('big:1', 'bigger', 'tiny:1', 'other:2'),
      resources: gpu === undefined ? { requests: own } : { requests: own, limits: { 'example.com/gpu': gpu } },
    };
  };
  const containers = random.times(1 + random.below(2), (i) => container(`c${i}`));
  if (random.chance(15)) {
    const hostPort = random.one(8080, 9090);
    containers[0].ports = [{ containerPort: hostPort, hostPort, protocol: random.one('TCP', 'UDP') }];
    if (random.chance(50)) containers[0].ports[0].hostIP = random.one('127.0.0.1', '10.0.0.1');
  }
  const spec = { containers, terminationGracePeriodSeconds: 30 };
  if (random.chance(20)) {
    spec.initContainers = [container('init')];
    if (random.chance(50)) spec.initContainers[0].restartPolicy = 'Always';
  }
  if (random.chance(8)) spec.overhead = { cpu: '250m' };
  return spec;
}

function pod(namespace, name, { labels, spec }) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, labels }, spec };
}

function toleration(random) {
  const effect = random.one('NoSchedule', 'NoExecute', 'PreferNoSchedule', undefined);
  const key = random.one('dedicated', 'spot');
  const how = random.chance(40) ? { operator: 'Exists' } : { operator: 'Equal', value: random.one('a', 'b') };
  return effect === undefined ? { key, ...how } : { key, effect, ...how };
}

function nodeAffinity(random, nodes) {
  const expression = () =>
    random.one(
      { key: 'disk', operator: 'In', values: ['ssd'] },
      { key: 'disk', operator: 'NotIn', values: ['hdd'] },
      { key: zoneKey, operator: 'In', values: ['z1', 'z2'] },
      { key: 'disk', operator: 'Exists' },
      { key: zoneKey, operator: 'DoesNotExist' },
      { key: 'size', operator: 'Gt', values: ['5'] },
      { key: 'size', operator: 'Lt', values: ['10'] },
    );
  const term = () => {
    if (random.chance(15)) {
      const values = [random.one(...nodes).metadata.name];
      return { matchFields: [{ key: 'metadata.name', operator: 'In', values }] };
    }
    return { matchExpressions: random.times(1 + random.below(2), expression) };
  };
  const affinity = {};
  if (random.chance(60))
    affinity.requiredDuringSchedulingIgnoredDuringExecution = {
      nodeSelectorTerms: random.times(1 + random.below(2), term),
    };
  if (random.chance(60) || !affinity.requiredDuringSchedulingIgnoredDuringExecution)
    affinity.preferredDuringSchedulingIgnoredDuringExecution = random.times(1 + random.below(2), () => ({
      weight: 1 + random.below(100),
      preference: { matchExpressions: [expression()] },
    }));
  return affinity;
}

function podAffinity(random) {
  const term = () => {
    const topologyKey = random.one(zoneKey, hostKey, zoneKey);
    const result = { topologyKey, labelSelector: { matchLabels: { app: random.one('web', 'db', 'cache') } } };
    if (random.chance(20)) result.labelSelector = { matchExpressions: [{ key: 'track', operator: 'In', values: ['canary'] }] };
    if (random.chance(20)) result.namespaces = ['sched-b'];
    if (random.chance(20)) result.namespaceSelector = random.one({}, { matchLabels: { team: 'red' } });
    return result;
  };
  const part = (required) => {
    if (required) return { requiredDuringSchedulingIgnoredDuringExecution: [term()] };
    const preferred = random.times(1 + random.below(2), () => ({ weight: 1 + random.below(100), podAffinityTerm: term() }));
    return { preferredDuringSchedulingIgnoredDuringExecution: preferred };
  };
  const affinity = {};
  if (random.chance(50)) affinity.podAffinity = part(random.chance(40));
  if (random.chance(50) || !affinity.podAffinity) affinity.podAntiAffinity = part(random.chance(50));
  return affinity;
}

function spread(random) {
  const whenUnsatisfiable = random.one('DoNotSchedule', 'ScheduleAnyway');
  const constraint = {
    maxSkew: 1 + random.below(2),
    topologyKey: random.one(zoneKey, hostKey),
    whenUnsatisfiable,
    labelSelector: { matchLabels: { app: random.one('web', 'db') } },
  };
  if (whenUnsatisfiable === 'DoNotSchedule' && random.chance(30)) constraint.minDomains = 2 + random.below(3);
  if (random.chance(30)) constraint.nodeTaintsPolicy = random.one('Honor', 'Ignore');
  if (random.chance(30)) constraint.nodeAffinityPolicy = random.one('Honor', 'Ignore');
  if (random.chance(20)) constraint.matchLabelKeys = ['track'];
  return constraint;
}

function volume(random) {
  const claimName = random.one('bound', 'labeled', 'immediate', 'waiting', 'absent', 'lost');
  return { name: 'data', persistentVolumeClaim: { claimName } };
}

/** Volumes and claims in the state in which a volume controller leaves them. */
function storage(random, nodes) {
  const zone = random.one('z1', 'z2');
  const host = random.one(...nodes).metadata.name;
  const volumes = [
    persistentVolume('sched-a', 'bound', {
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: hostKey, operator: 'In', values: [host] }] }] } },
    }),
    persistentVolume('sched-a', 'labeled', {}, { [zoneKey]: zone }),
  ];
  const claims = [
    claim('bound', { volumeName: 'volume-bound', storageClassName: 'now' }),
    claim('labeled', { volumeName: 'volume-labeled', storageClassName: 'now' }),
    claim('immediate', { storageClassName: 'now' }),
    claim('waiting', { storageClassName: 'wait' }),
    claim('lost', { volumeName: 'gone', storageClassName: 'now' }),
  ];
  const storageClasses = [storageClass('now', 'Immediate'), storageClass('wait', 'WaitForFirstConsumer')];
  return { volumes, claims, storageClasses };
}

function storageClass(name, volumeBindingMode) {
  const provisioner = 'kubernetes.io/no-provisioner';
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner, volumeBindingMode };
}

function persistentVolume(namespace, name, more, labels = {}) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${name}`, labels },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'now',
      hostPath: { path: '/data' },
      claimRef: { namespace, name },
      ...more,
    },
  };
}

function claim(name, more) {
  const annotations = more.volumeName ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'sched-a', name, annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
  };
}

function service(namespace, selector) {
  const spec = { selector, ports: [{ port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name: 'web' }, spec };
}
