// Objects that are accepted with warnings. record.mjs records the real server's warnings. Cases have the format of invalid-objects.mjs.
const container = 'spec.containers.0';
const template = 'spec.template.spec';
const port = (containerPort, more = {}) => ({ containerPort, ...more });
const volume = (more) => ({ name: 'v', ...more });
const gone = ['photonPersistentDisk', 'scaleIO', 'flocker', 'storageos', 'quobyte', 'glusterfs', 'cephfs', 'rbd'];
const sources = {
  photonPersistentDisk: { pdID: 'x' },
  scaleIO: { gateway: 'g', system: 's', secretRef: { name: 's' }, volumeName: 'v' },
  flocker: { datasetName: 'd' },
  storageos: { volumeName: 'v' },
  quobyte: { registry: 'a:1', volume: 'v' },
  glusterfs: { endpoints: 'e', path: 'p' },
  cephfs: { monitors: ['m'] },
  rbd: { monitors: ['m'], image: 'i' },
};
const files = (...paths) => ({ items: paths.map((path) => ({ key: 'k', path })) });
const facts = (...paths) => ({ items: paths.map((path) => ({ path, fieldRef: { fieldPath: 'metadata.name' } })) });

export const suspectCases = [
  ['pods', { 'spec.nodeSelector': { 'beta.kubernetes.io/arch': 'a', 'beta.kubernetes.io/os': 'b' } }],
  ['pods', { 'spec.affinity': { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', operator: 'Exists' }] }] } } } }],
  ['pods', { 'spec.affinity': { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [{ key: 'beta.kubernetes.io/instance-type', operator: 'In', values: ['a b'] }] } }] } } }],
  ['pods', { 'spec.affinity': { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }] }, podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }] } } }],
  ['pods', { 'spec.topologySpreadConstraints': [{ maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/region', whenUnsatisfiable: 'ScheduleAnyway' }] }],
  ...gone.map((field) => ['pods', { 'spec.volumes': [volume({ [field]: sources[field] })] }]),
  ['pods', { 'spec.volumes': [volume({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } } } } })] }],
  ['pods', { 'spec.volumes': [volume({ configMap: { name: 'c', ...files('a', 'a/b', 'a/') } })] }],
  ['pods', { 'spec.volumes': [volume({ secret: { secretName: 's', ...files('a/b/c', 'a') } })] }],
  ['pods', { 'spec.volumes': [volume({ downwardAPI: facts('a', 'a') })] }],
  ['pods', { 'spec.serviceAccountName': 'default', 'spec.volumes': [volume({ projected: { sources: [{}, { configMap: { name: 'c', ...files('a/b') } }, { secret: { name: 's', ...files('a') } }, { serviceAccountToken: { path: 'a/c' } }] } })] }],
  ['pods', { 'spec.hostAliases': [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }, { ip: 'FD00::1' }] }],
  ['pods', { 'spec.imagePullSecrets': [{ name: 'a' }, { name: 'a' }, { name: '' }] }],
  ['pods', { [`${container}.resources`]: { requests: { memory: '1500m', 'ephemeral-storage': '0.5' }, limits: { memory: '2500m', 'ephemeral-storage': '1.5' } } }],
  ['pods', { [`${container}.env`]: [{ name: 'A', value: '1' }, { name: 'A', value: '2' }, { name: 'A', value: '$(A):3' }, { name: 'A', value: '$(A)' }] }],
  ['pods', { [`${container}.ports`]: [port(80), port(80), port(80, { hostPort: 81 }), port(80, { hostPort: 82, hostIP: '10.0.0.1' }), port(80, { hostPort: 82 }), port(81, { hostIP: '10.0.0.1' })] }],
  ['pods', { [`${container}.ports`]: [port(80, { name: 'a' })], 'spec.containers.1': { name: 'b', image: 'b', ports: [port(81, { name: 'a' })] } }],
  ['pods', { 'spec.dnsConfig': { nameservers: ['FD00::1', 'fd00:0::2'] } }],
  ['pods', { 'spec.volumes': [volume({ gitRepo: { repository: 'r' } })] }],
  ['deployments', { [`${template}.nodeSelector`]: { 'beta.kubernetes.io/os': 'linux' }, [`${template}.terminationGracePeriodSeconds`]: -1 }],
  ['statefulsets', { [`${template}.containers.0.ports`]: [port(80), port(80)] }],
  ['jobs', { [`${template}.containers.0.env`]: [{ name: 'A', value: '1' }, { name: 'A', value: '2' }] }],
  ['cronjobs', { 'spec.jobTemplate.spec.template.spec.hostAliases': [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }] }],
  ['services', { 'spec.externalIPs': ['10.0.0.1'] }],
  ['services', { 'spec.clusterIP': 'None', 'spec.externalIPs': ['10.0.0.1'], 'spec.sessionAffinity': 'ClientIP' }],
  ['services', { 'spec.externalName': 'a.com', 'spec.trafficDistribution': 'PreferClose' }],
  ['services', { 'spec.type': 'ExternalName', 'spec.externalName': 'a.com', 'spec.externalIPs': ['10.0.0.1'] }],
  ['persistentvolumeclaims', { 'spec.resources': { requests: { storage: '1500m' } } }],
];
