import type { WebhookCertificates } from '../project/find-project.ts';
import { generatedFile, type ProjectFile } from '../project/write-files.ts';
import { patchEntry, patchesOf } from './patch-entry.ts';

/** The parts of a project's webhooks that determine the layout of its manifests. */
export interface WebhookLayout {
  readonly certificates: WebhookCertificates;
  readonly hasMutating: boolean;
  readonly hasValidating: boolean;
  /** File names in `config/crd/bases` of kinds that the operator converts. */
  readonly converted: readonly string[];
}

/** Path at which kubebuilder mounts cert-manager's Secret. */
const mountPath = '/tmp/k8s-webhook-server/serving-certs';

/** Derives the layout from the generated files; undefined without webhooks. */
export function webhookLayoutOf(
  files: readonly ProjectFile[],
  certificates: WebhookCertificates,
): WebhookLayout | undefined {
  const manifests = files.find(({ path }) => path === 'config/webhook/manifests.yaml')?.text ?? '';
  const bases = 'config/crd/bases/';
  const converted = files
    // Matches the generator's own format, with its fixed indentation.
    .filter(({ path, text }) => path.startsWith(bases) && /^ {2}conversion:\n {4}strategy: Webhook$/m.test(text))
    .map(({ path }) => path.slice(bases.length));
  const hasMutating = /^kind: MutatingWebhookConfiguration$/m.test(manifests);
  const hasValidating = /^kind: ValidatingWebhookConfiguration$/m.test(manifests);
  if (!hasMutating && !hasValidating && converted.length === 0) return undefined;
  return { certificates, hasMutating, hasValidating, converted };
}

/** Returns the webhook Service, certificates and manager patch, with kubebuilder's names. */
export function webhookFiles(project: string, layout: WebhookLayout): readonly ProjectFile[] {
  const { certificates, hasMutating, hasValidating } = layout;
  const list = (names: readonly string[]): string => `resources:\n${names.map((name) => `- ${name}\n`).join('')}`;
  const manifests = hasMutating || hasValidating ? ['manifests.yaml'] : [];
  return [
    generatedFile('config/webhook/kustomization.yaml', list([...manifests, 'service.yaml'])),
    generatedFile('config/webhook/service.yaml', service(project)),
    generatedFile('config/default/manager_webhook_patch.yaml', managerPatch(project, certificates)),
    ...(certificates === 'cert-manager' ? injectionPatches(project, layout) : []),
  ];
}

/** Returns the webhook patches of `config/default`. */
export function webhookPatches({ certificates, hasMutating, hasValidating }: WebhookLayout): readonly string[] {
  const targets = [
    ...(hasMutating ? ['MutatingWebhookConfiguration'] : []),
    ...(hasValidating ? ['ValidatingWebhookConfiguration'] : []),
  ];
  const injected = certificates === 'cert-manager' ? targets : [];
  return [
    patchEntry('manager_webhook_patch.yaml', 'Deployment'),
    ...injected.map((kind) => patchEntry('webhookcainjection_patch.yaml', kind)),
  ];
}

/** Returns the `patches` field of `config/crd`; empty if there is nothing to patch. */
export function definitionPatches({ certificates, converted }: WebhookLayout): string {
  if (certificates !== 'cert-manager') return '';
  return patchesOf(
    converted.map((name) =>
      patchEntry(`patches/cainjection_in_${pluralOf(name)}.yaml`, 'CustomResourceDefinition', definitionOf(name)),
    ),
  );
}

/** `web.example.com_shops.yaml` contains `shops.web.example.com`. */
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

function injectionPatches(project: string, layout: WebhookLayout): readonly ProjectFile[] {
  const from = `${project}-system/${project}-serving-cert`;
  const { hasMutating, hasValidating, converted } = layout;
  const whole = `- op: add\n  path: /metadata/annotations\n  value:\n    cert-manager.io/inject-ca-from: ${from}\n`;
  // A CRD already has annotations from its generator.
  const one = `- op: add\n  path: /metadata/annotations/cert-manager.io~1inject-ca-from\n  value: ${from}\n`;
  return [
    ...(hasMutating || hasValidating ? [generatedFile('config/default/webhookcainjection_patch.yaml', whole)] : []),
    ...converted.map((name) => generatedFile(`config/crd/patches/cainjection_in_${pluralOf(name)}.yaml`, one)),
  ];
}
