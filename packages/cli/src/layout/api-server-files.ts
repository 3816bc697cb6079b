import type { WebhookCertificates } from '../project/find-project.ts';
import { generatedFile, type ProjectFile } from '../project/write-files.ts';
import { patchEntry } from './patch-entry.ts';

/** Path at which the Secret with the certificate of the project's API server is mounted. */
const mountPath = '/tmp/k8s-apiserver/serving-certs';

/**
 * Returns the Service of the project's own API server, and the server's settings in the manager: port, certificate,
 * environment.
 */
export function apiServerFiles(project: string, certificates: WebhookCertificates): readonly ProjectFile[] {
  return [
    generatedFile('config/apiserver/kustomization.yaml', 'resources:\n- service.yaml\n'),
    generatedFile('config/apiserver/service.yaml', service(project)),
    generatedFile('config/default/manager_apiserver_patch.yaml', managerPatch),
    ...(certificates === 'cert-manager'
      ? [generatedFile('config/default/apiservicecainjection_patch.yaml', injectionPatch(project))]
      : []),
  ];
}

/** Returns the API server's patches of `config/default`. */
export function apiServerPatches(certificates: WebhookCertificates): readonly string[] {
  return [
    patchEntry('manager_apiserver_patch.yaml', 'Deployment'),
    ...(certificates === 'cert-manager' ? [patchEntry('apiservicecainjection_patch.yaml', 'APIService')] : []),
  ];
}

function service(project: string): string {
  return `apiVersion: v1
kind: Service
metadata:
  labels:
    app.kubernetes.io/name: ${project}
    app.kubernetes.io/managed-by: kustomize
  name: apiserver-service
  namespace: system
spec:
  ports:
  - port: 443
    protocol: TCP
    targetPort: 6443
  selector:
    control-plane: controller-manager
    app.kubernetes.io/name: ${project}
`;
}

const variable = (name: string, value: string): string => `- op: add
  path: /spec/template/spec/containers/0/env/-
  value:
    name: ${name}
    value: ${value}
`;

/** A stopping pod keeps serving requests until the cluster has had time to remove it from the Service. */
const shutdownDelay = variable('APISERVER_SHUTDOWN_DELAY_SECONDS', '"5"');

const managerPatch = `${variable('APISERVER_HOST', '"0.0.0.0"')}${variable('APISERVER_PORT', '"6443"')}${variable('APISERVER_CERT_PATH', mountPath)}${shutdownDelay}- op: add
  path: /spec/template/spec/containers/0/volumeMounts/-
  value:
    mountPath: ${mountPath}
    name: apiserver-certs
    readOnly: true
- op: add
  path: /spec/template/spec/containers/0/ports/-
  value:
    containerPort: 6443
    name: apiserver
    protocol: TCP
- op: add
  path: /spec/template/spec/volumes/-
  value:
    name: apiserver-certs
    secret:
      secretName: apiserver-server-cert
`;

/** The patch can add a key to the annotations because the generator always writes annotations. */
function injectionPatch(project: string): string {
  return `- op: add
  path: /metadata/annotations/cert-manager.io~1inject-ca-from
  value: ${project}-system/${project}-apiserver-cert
`;
}
