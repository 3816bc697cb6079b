import { generatedHeader, type ProjectFile } from '../project/write-files.ts';

/** Who signs the certificate of a deployed operator's webhooks. */
export type WebhookCertificates = 'own' | 'cert-manager';

/** What of a project's webhooks decides how its manifests are laid out. */
export interface WebhookLayout {
  readonly certificates: WebhookCertificates;
  readonly hasMutating: boolean;
  readonly hasValidating: boolean;
  /** File names below `config/crd/bases` of kinds that the operator converts. */
  readonly converted: readonly string[];
}

/** Where kubebuilder mounts cert-manager's Secret. */
const mountPath = '/tmp/k8s-webhook-server/serving-certs';

/** Reads the layout off what was generated from the types; undefined without webhooks. */
export function webhookLayoutOf(
  files: readonly ProjectFile[],
  certificates: WebhookCertificates,
): WebhookLayout | undefined {
  const manifests = files.find(({ path }) => path === 'config/webhook/manifests.yaml')?.text ?? '';
  const bases = 'config/crd/bases/';
  const converted = files
    // In the generator's own form, which has one indentation.
    .filter(({ path, text }) => path.startsWith(bases) && /^ {2}conversion:\n {4}strategy: Webhook$/m.test(text))
    .map(({ path }) => path.slice(bases.length));
  const hasMutating = /^kind: MutatingWebhookConfiguration$/m.test(manifests);
  const hasValidating = /^kind: ValidatingWebhookConfiguration$/m.test(manifests);
  if (!hasMutating && !hasValidating && converted.length === 0) return undefined;
  return { certificates, hasMutating, hasValidating, converted };
}

/** Service, certificates and the manager's part of webhooks, with kubebuilder's names. */
export function webhookFiles(project: string, layout: WebhookLayout): readonly ProjectFile[] {
  const { certificates, hasMutating, hasValidating } = layout;
  const list = (names: readonly string[]): string => `resources:\n${names.map((name) => `- ${name}\n`).join('')}`;
  const manifests = hasMutating || hasValidating ? ['manifests.yaml'] : [];
  return [
    file('config/webhook/kustomization.yaml', list([...manifests, 'service.yaml'])),
    file('config/webhook/service.yaml', service(project)),
    file('config/default/manager_webhook_patch.yaml', managerPatch(project, certificates)),
    ...(certificates === 'cert-manager'
      ? [
          file('config/certmanager/kustomization.yaml', list(['issuer.yaml', 'certificate-webhook.yaml'])),
          file('config/certmanager/issuer.yaml', issuer(project)),
          file('config/certmanager/certificate-webhook.yaml', certificate(project)),
          ...injectionPatches(project, layout),
        ]
      : []),
  ];
}

/** Names of a kustomization's patches, each with what it changes. */
export function webhookPatches({ certificates, hasMutating, hasValidating }: WebhookLayout): string {
  const targets = [
    ...(hasMutating ? ['MutatingWebhookConfiguration'] : []),
    ...(hasValidating ? ['ValidatingWebhookConfiguration'] : []),
  ];
  const injected = certificates === 'cert-manager' ? targets : [];
  return `patches:\n${[
    patch('manager_webhook_patch.yaml', 'Deployment'),
    ...injected.map((kind) => patch('webhookcainjection_patch.yaml', kind)),
  ].join('')}`;
}

/** The same of `config/crd`; empty where nothing is to be patched. */
export function definitionPatches({ certificates, converted }: WebhookLayout): string {
  if (certificates !== 'cert-manager' || converted.length === 0) return '';
  return `patches:\n${converted
    .map((name) =>
      patch(`patches/cainjection_in_${pluralOf(name)}.yaml`, 'CustomResourceDefinition', definitionOf(name)),
    )
    .join('')}`;
}

function file(path: string, text: string): ProjectFile {
  return { path, text: `${generatedHeader}\n${text}` };
}

function patch(path: string, kind: string, name?: string): string {
  return `- path: ${path}\n  target:\n    kind: ${kind}\n${name === undefined ? '' : `    name: ${name}\n`}`;
}

/** `web.example.com_shops.yaml` holds `shops.web.example.com`. */
function definitionOf(name: string): string {
  const [group = ''] = name.split('_');
  return `${pluralOf(name)}.${group}`;
}

function pluralOf(name: string): string {
  return name.slice(name.indexOf('_') + 1).replace(/\.yaml$/, '');
}

const metadata = (project: string, name: string): string => `metadata:
  labels:
    app.kubernetes.io/name: ${project}
    app.kubernetes.io/managed-by: kustomize
  name: ${name}
  namespace: system
`;

function service(project: string): string {
  return `apiVersion: v1
kind: Service
${metadata(project, 'webhook-service')}spec:
  ports:
  - port: 443
    protocol: TCP
    targetPort: 9443
  selector:
    control-plane: controller-manager
    app.kubernetes.io/name: ${project}
`;
}

function managerPatch(project: string, certificates: WebhookCertificates): string {
  const port = `- op: add
  path: /spec/template/spec/containers/0/ports/-
  value:
    containerPort: 9443
    name: webhook-server
    protocol: TCP
`;
  const argument = (value: string): string =>
    `- op: add\n  path: /spec/template/spec/containers/0/args/-\n  value: ${value}\n`;
  if (certificates === 'own') {
    return `${argument(`--webhook-service=${project}-system/${project}-webhook-service`)}${port}`;
  }
  return `${argument(`--webhook-cert-path=${mountPath}`)}- op: add
  path: /spec/template/spec/containers/0/volumeMounts/-
  value:
    mountPath: ${mountPath}
    name: webhook-certs
    readOnly: true
${port}- op: add
  path: /spec/template/spec/volumes/-
  value:
    name: webhook-certs
    secret:
      secretName: webhook-server-cert
`;
}

function issuer(project: string): string {
  return `apiVersion: cert-manager.io/v1
kind: Issuer
${metadata(project, 'selfsigned-issuer')}spec:
  selfSigned: {}
`;
}

/** With the names that it has in the cluster: kustomize knows nothing of cert-manager's references. */
function certificate(project: string): string {
  const host = `${project}-webhook-service.${project}-system.svc`;
  return `apiVersion: cert-manager.io/v1
kind: Certificate
${metadata(project, 'serving-cert')}spec:
  dnsNames:
  - ${host}
  - ${host}.cluster.local
  issuerRef:
    kind: Issuer
    name: ${project}-selfsigned-issuer
  secretName: webhook-server-cert
`;
}

function injectionPatches(project: string, layout: WebhookLayout): readonly ProjectFile[] {
  const from = `${project}-system/${project}-serving-cert`;
  const { hasMutating, hasValidating, converted } = layout;
  const whole = `- op: add\n  path: /metadata/annotations\n  value:\n    cert-manager.io/inject-ca-from: ${from}\n`;
  // A CRD has annotations of its generator already.
  const one = `- op: add\n  path: /metadata/annotations/cert-manager.io~1inject-ca-from\n  value: ${from}\n`;
  return [
    ...(hasMutating || hasValidating ? [file('config/default/webhookcainjection_patch.yaml', whole)] : []),
    ...converted.map((name) => file(`config/crd/patches/cainjection_in_${pluralOf(name)}.yaml`, one)),
  ];
}
