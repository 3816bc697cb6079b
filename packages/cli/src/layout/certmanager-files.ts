import { generatedFile, type ProjectFile } from '../project/write-files.ts';
import { patchEntry } from './patch-entry.ts';

/** Path at which kubebuilder mounts cert-manager's Secret for metrics. */
const metricsPath = '/tmp/k8s-metrics-server/metrics-certs';

/** Returns cert-manager's part of a project: an issuer, and a certificate for each server of the manager. */
export function certManagerFiles(
  project: string,
  { hasWebhooks, hasApiServer }: { readonly hasWebhooks: boolean; readonly hasApiServer: boolean },
): readonly ProjectFile[] {
  const names = [
    'issuer.yaml',
    ...(hasWebhooks ? ['certificate-webhook.yaml'] : []),
    ...(hasApiServer ? ['certificate-apiserver.yaml'] : []),
    'certificate-metrics.yaml',
  ];
  const list = `resources:\n${names.map((name) => `- ${name}\n`).join('')}`;
  const webhook = { name: 'serving-cert', service: 'webhook-service', secret: 'webhook-server-cert' };
  const apiServer = { name: 'apiserver-cert', service: 'apiserver-service', secret: 'apiserver-server-cert' };
  const metrics = {
    name: 'metrics-certs',
    service: 'controller-manager-metrics-service',
    secret: 'metrics-server-cert',
  };
  return [
    generatedFile('config/certmanager/kustomization.yaml', list),
    generatedFile('config/certmanager/issuer.yaml', issuer(project)),
    ...(hasWebhooks
      ? [generatedFile('config/certmanager/certificate-webhook.yaml', certificate(project, webhook))]
      : []),
    ...(hasApiServer
      ? [generatedFile('config/certmanager/certificate-apiserver.yaml', certificate(project, apiServer))]
      : []),
    generatedFile('config/certmanager/certificate-metrics.yaml', certificate(project, metrics)),
    generatedFile('config/default/cert_metrics_manager_patch.yaml', metricsPatch),
    generatedFile('config/prometheus/monitor_tls_patch.yaml', monitorPatch(project)),
  ];
}

/** The entry in `config/default` that mounts the manager's metrics certificate. */
export const metricsPatchEntry: string = patchEntry('cert_metrics_manager_patch.yaml', 'Deployment');

/** The entry in `config/prometheus` that makes Prometheus verify the server certificate. */
export const monitorPatchEntry: string = patchEntry('monitor_tls_patch.yaml', 'ServiceMonitor');

const metadata = (project: string, name: string): string => `metadata:
  labels:
    app.kubernetes.io/name: ${project}
    app.kubernetes.io/managed-by: kustomize
  name: ${name}
  namespace: system
`;

function issuer(project: string): string {
  return `apiVersion: cert-manager.io/v1
kind: Issuer
${metadata(project, 'selfsigned-issuer')}spec:
  selfSigned: {}
`;
}

interface Certificate {
  readonly name: string;
  readonly service: string;
  readonly secret: string;
}

/** Uses the final names in the cluster, because kustomize does not rewrite cert-manager's references. */
function certificate(project: string, { name, service, secret }: Certificate): string {
  const host = `${project}-${service}.${project}-system.svc`;
  return `apiVersion: cert-manager.io/v1
kind: Certificate
${metadata(project, name)}spec:
  dnsNames:
  - ${host}
  - ${host}.cluster.local
  issuerRef:
    kind: Issuer
    name: ${project}-selfsigned-issuer
  secretName: ${secret}
`;
}

const metricsPatch = `- op: add
  path: /spec/template/spec/containers/0/args/-
  value: --metrics-cert-path=${metricsPath}
- op: add
  path: /spec/template/spec/containers/0/volumeMounts/-
  value:
    mountPath: ${metricsPath}
    name: metrics-certs
    readOnly: true
- op: add
  path: /spec/template/spec/volumes/-
  value:
    name: metrics-certs
    secret:
      secretName: metrics-server-cert
`;

/** Unlike kubebuilder's patch, sets no client certificate: clients authenticate with a token. */
function monitorPatch(project: string): string {
  return `- op: replace
  path: /spec/endpoints/0/tlsConfig
  value:
    serverName: ${project}-controller-manager-metrics-service.${project}-system.svc
    insecureSkipVerify: false
    ca:
      secret:
        name: metrics-server-cert
        key: ca.crt
`;
}
