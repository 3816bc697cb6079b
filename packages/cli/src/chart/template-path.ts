import type { UnstructuredObject } from '@kubewright/apimachinery';

/** The path of a template and the condition under which it renders. */
export interface TemplatePath {
  readonly folder: string;
  readonly file: string;
  /** Condition for Helm's `if`. Always rendered if undefined. */
  readonly condition?: string | undefined;
}

/** Returns the template path of an object, based on its kind and on the names in kubebuilder's layout. */
export function templatePathOf(object: UnstructuredObject, project: string): TemplatePath {
  const { apiVersion, kind } = object;
  const name = object.metadata?.name ?? '';
  // Object names are not always valid file names: names of roles can contain colons.
  const file = (name.startsWith(`${project}-`) ? name.slice(project.length + 1) : name).replace(/[^\w.-]+/g, '-');
  const metrics = { folder: 'metrics', file, condition: '.Values.metrics.enabled' };
  const webhook = { folder: 'webhook', file, condition: '.Values.webhook.enabled' };
  if (kind === 'CustomResourceDefinition') return { folder: 'crd', file, condition: '.Values.crd.enabled' };
  if (apiVersion.startsWith('cert-manager.io/')) {
    const isServing = file === 'serving-cert';
    const condition = `${isServing ? 'and .Values.webhook.enabled ' : ''}.Values.certManager.enabled`;
    return { folder: 'cert-manager', file, condition };
  }
  if (kind === 'ServiceMonitor')
    return { folder: 'prometheus', file, condition: 'and .Values.metrics.enabled .Values.prometheus.enabled' };
  if (kind === 'NetworkPolicy') {
    const what = file.includes('webhook') ? 'webhook' : 'metrics';
    return { folder: 'network-policy', file, condition: `and .Values.${what}.enabled .Values.networkPolicy.enabled` };
  }
  if (kind === 'MutatingWebhookConfiguration' || kind === 'ValidatingWebhookConfiguration') return webhook;
  if (kind === 'Service') return file.includes('webhook') ? webhook : file.includes('metrics') ? metrics : other(file);
  if (kind === 'ServiceAccount') return { folder: 'rbac', file, condition: '.Values.serviceAccount.enabled' };
  if (/^(Cluster)?Role(Binding)?$/.test(kind)) return roleTemplatePath(file);
  return kind === 'Deployment' ? { folder: 'manager', file: 'manager' } : other(file, kind);
}

function roleTemplatePath(file: string): TemplatePath {
  if (file.startsWith('metrics-')) return { folder: 'rbac', file, condition: '.Values.metrics.enabled' };
  if (file.startsWith('webhook-')) return { folder: 'rbac', file, condition: '.Values.webhook.enabled' };
  const isForUsers = /-(admin|editor|viewer)-role$/.test(file);
  return { folder: 'rbac', file, ...(isForUsers && { condition: '.Values.rbac.helpers.enabled' }) };
}

/** Returns the template path of an object that a user added to the layout. */
function other(file: string, kind = 'Service'): TemplatePath {
  return { folder: 'extra', file: `${kind.toLowerCase()}-${file}` };
}
