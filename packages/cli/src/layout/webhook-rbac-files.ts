import { generatedFile, type ProjectFile } from '../project/write-files.ts';
import type { WebhookLayout } from './webhook-files.ts';

/**
 * Returns the roles of an operator that signs its webhooks' certificate itself: they grant access to its Secret and to the
 * `caBundle` of the webhook configurations. Empty if cert-manager does both.
 */
export function webhookRbacFiles(project: string, layout: WebhookLayout | undefined): readonly ProjectFile[] {
  if (layout?.certificates !== 'own') return [];
  const clusterRules = [
    ...(layout.hasMutating ? [rule('mutatingwebhookconfigurations', `${project}-mutating-webhook-configuration`)] : []),
    ...(layout.hasValidating
      ? [rule('validatingwebhookconfigurations', `${project}-validating-webhook-configuration`)]
      : []),
    ...(layout.converted.length > 0 ? [definitionsRule(layout.converted)] : []),
  ];
  const text = [
    role(project, 'Role', namespaceRules),
    role(project, 'ClusterRole', clusterRules.join('')),
    binding(project, 'Role'),
    binding(project, 'ClusterRole'),
  ].join('---\n');
  return [generatedFile('config/rbac/webhook_certificates_role.yaml', text)];
}

// RBAC cannot restrict create by name: the name is not known when the request is authorized.
const namespaceRules = `- apiGroups:
  - ""
  resources:
  - secrets
  verbs:
  - create
- apiGroups:
  - ""
  resourceNames:
  - webhook-server-cert
  resources:
  - secrets
  verbs:
  - get
  - update
`;

/** Uses the object's final name in the cluster, because kustomize does not rewrite names in rules. */
function rule(resource: string, name: string): string {
  return `- apiGroups:
  - admissionregistration.k8s.io
  resourceNames:
  - ${name}
  resources:
  - ${resource}
  verbs:
  - get
  - update
`;
}

function definitionsRule(files: readonly string[]): string {
  const names = files.map((file) => {
    const [group = '', plural = ''] = file.replace(/\.yaml$/, '').split('_');
    return `  - ${plural}.${group}\n`;
  });
  return `- apiGroups:
  - apiextensions.k8s.io
  resourceNames:
${names.join('')}  resources:
  - customresourcedefinitions
  verbs:
  - get
  - update
`;
}

function head(project: string, kind: string, name: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata:
  labels:
    app.kubernetes.io/name: ${project}
    app.kubernetes.io/managed-by: kustomize
  name: ${name}
${/^Role/.test(kind) ? '  namespace: system\n' : ''}`;
}

function role(project: string, kind: 'Role' | 'ClusterRole', rules: string): string {
  return `${head(project, kind, 'webhook-certificates-role')}rules:\n${rules}`;
}

function binding(project: string, kind: 'Role' | 'ClusterRole'): string {
  return `${head(project, `${kind}Binding`, 'webhook-certificates-rolebinding')}roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ${kind}
  name: webhook-certificates-role
subjects:
- kind: ServiceAccount
  name: controller-manager
  namespace: system
`;
}
