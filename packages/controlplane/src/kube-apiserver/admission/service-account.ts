import { forbidden, type KubernetesObject, type Random } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import { isMirrorPod, type ReferringPod, secretNames } from '../authorization/node/pod-references.ts';
import { handles } from './handles.ts';

const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

interface PodSpec {
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: unknown[];
  volumes?: { name: string }[];
  containers?: Container[];
  initContainers?: Container[];
}

interface Container {
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}

/**
 * Sets the service account of new pods, rejects accounts that do not exist, and mounts the account's token, the cluster's CA
 * certificate and the namespace where clients expect them (`ServiceAccount` admission, 1.36).
 */
export function serviceAccountAdmission(options: {
  readonly read: ReadObject;
  readonly random: Random;
}): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    handles: handles('', 'pods'),
    async mutate({ subresource, operation, object, namespace, name }: AdmissionAttributes): Promise<void> {
      if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
      if (isMirrorPod(object)) {
        checkMirrorPod(object, name);
        return;
      }
      const spec = object['spec'] as PodSpec | undefined;
      if (spec === undefined) return;
      if (!spec.serviceAccountName) spec.serviceAccountName = 'default';
      spec.serviceAccount = spec.serviceAccountName;
      const account = await options.read({
        group: '',
        resource: 'serviceaccounts',
        namespace,
        name: spec.serviceAccountName,
      });
      if (!account) {
        const shown = name || (object.metadata.generateName ?? '');
        throw forbidden(
          { group: '', resource: 'pods' },
          shown,
          `error looking up service account ${namespace}/${spec.serviceAccountName}: serviceaccount "${spec.serviceAccountName}" not found`,
        );
      }
      if (mountsToken(spec, account)) mountToken(spec, options.random);
      inheritPullSecrets(spec, account);
    },
  };
}

/** Rejects references to accounts and secrets in mirror pods: a node must not gain access to objects by creating a pod. */
function checkMirrorPod(pod: ReferringPod, name: string): void {
  const refuse = (why: string) => forbidden({ group: '', resource: 'pods' }, name, `a mirror pod may not ${why}`);
  if (pod.spec?.serviceAccountName) throw refuse('reference service accounts');
  if (secretNames(pod).length > 0) throw refuse('reference secrets');
  const sources = (pod.spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken)) {
    throw refuse('use ServiceAccountToken volume projections');
  }
}

function mountsToken(spec: PodSpec, account: KubernetesObject): boolean {
  const { automountServiceAccountToken } = account as { automountServiceAccountToken?: boolean };
  return spec.automountServiceAccountToken ?? automountServiceAccountToken ?? true;
}

function mountToken(spec: PodSpec, random: Random): void {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const lacking = containers.filter(
    ({ volumeMounts }) => !volumeMounts?.some(({ mountPath }) => mountPath.replace(/\/+$/, '') === tokenMountPath),
  );
  if (lacking.length === 0) return;
  const existing = spec.volumes?.find(({ name }) => name.startsWith('kube-api-access-'));
  const volume = existing ?? tokenVolume(random);
  if (!existing) spec.volumes = [...(spec.volumes ?? []), volume];
  for (const container of lacking) {
    const mount = { name: volume.name, readOnly: true, mountPath: tokenMountPath };
    container.volumeMounts = [...(container.volumeMounts ?? []), mount];
  }
}

function tokenVolume(random: Random): { readonly name: string; readonly projected: unknown } {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += suffixAlphabet[Math.floor(random.next() * suffixAlphabet.length)];
  const namespaceField = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } };
  return {
    name: `kube-api-access-${suffix}`,
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [namespaceField] } },
      ],
    },
  };
}

function inheritPullSecrets(spec: PodSpec, account: KubernetesObject): void {
  const { imagePullSecrets } = account as { imagePullSecrets?: unknown[] };
  if ((spec.imagePullSecrets?.length ?? 0) === 0 && imagePullSecrets) spec.imagePullSecrets = [...imagePullSecrets];
}
