/** Requests for pods with RuntimeClasses. Run by `kube-apiserver/testdata/run-steps.mjs`. */
const PODS = '/api/v1/namespaces/classes-rec/pods';
const runtimeClass = (name, more) => [
  'POST',
  '/apis/node.k8s.io/v1/runtimeclasses',
  { metadata: { name }, handler: 'runc', ...more },
];
const pod = (name, spec) => [
  'POST',
  `${PODS}?dryRun=All`,
  {
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'a' }], ...spec },
  },
];
const podFixed = { cpu: '100m', memory: '16Mi' };
const equal = { key: 'sandbox', operator: 'Equal', value: 'a', effect: 'NoSchedule' };

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'classes-rec' } }],
  ['POST', '/api/v1/namespaces/classes-rec/serviceaccounts', { metadata: { name: 'default' } }],
  runtimeClass('plain-rec', {}),
  runtimeClass('heavy-rec', { overhead: { podFixed } }),
  runtimeClass('placed-rec', { scheduling: { nodeSelector: { sandbox: 'yes' }, tolerations: [equal] } }),
  runtimeClass('tolerant-rec', { scheduling: { tolerations: [{ key: 'sandbox', operator: 'Exists' }, equal] } }),
  pod('missing', { runtimeClassName: 'missing-rec' }),
  pod('plain', { runtimeClassName: 'plain-rec' }),
  pod('heavy', { runtimeClassName: 'heavy-rec' }),
  pod('heavy-equal', { runtimeClassName: 'heavy-rec', overhead: { cpu: '0.1', memory: '16Mi' } }),
  pod('heavy-other', { runtimeClassName: 'heavy-rec', overhead: { cpu: '1' } }),
  pod('without-class', { overhead: { cpu: '1' } }),
  pod('plain-with-overhead', { runtimeClassName: 'plain-rec', overhead: { cpu: '1' } }),
  pod('placed', { runtimeClassName: 'placed-rec' }),
  pod('placed-more', { runtimeClassName: 'placed-rec', nodeSelector: { disk: 'ssd' }, tolerations: [equal] }),
  pod('placed-elsewhere', { runtimeClassName: 'placed-rec', nodeSelector: { sandbox: 'no' } }),
  pod('tolerant', { runtimeClassName: 'tolerant-rec', tolerations: [{ ...equal, value: 'b' }, { operator: 'Exists' }] }),
  pod('tolerant-less', { runtimeClassName: 'tolerant-rec', tolerations: [equal] }),
];
