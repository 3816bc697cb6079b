import { generatedFile, type ProjectFile } from '../project/write-files.ts';

/** Returns the accounts and roles that every operator has; `role.yaml` is generated from the operator's code. */
export function rbacFiles(project: string): readonly ProjectFile[] {
  const file = (name: string, text: string): ProjectFile => generatedFile(`config/rbac/${name}.yaml`, text);
  const metadata = (name: string): string => `metadata:
  labels:
    app.kubernetes.io/name: ${project}
    app.kubernetes.io/managed-by: kustomize
  name: ${name}
`;
  const api = 'apiVersion: rbac.authorization.k8s.io/v1\n';
  const binding = (
    kind: 'Role' | 'ClusterRole',
    names: { binding: string; role: string },
  ): string => `${api}kind: ${kind}Binding
${metadata(names.binding)}roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ${kind}
  name: ${names.role}
subjects:
- kind: ServiceAccount
  name: controller-manager
  namespace: system
`;
  return [
    file(
      'service_account',
      // Includes the namespace; otherwise kustomize does not match the references in bindings.
      `apiVersion: v1\nkind: ServiceAccount\n${metadata('controller-manager')}  namespace: system\n`,
    ),
    file('role_binding', binding('ClusterRole', { binding: 'manager-rolebinding', role: 'manager-role' })),
    file('leader_election_role', `${api}kind: Role\n${metadata('leader-election-role')}${leaderElectionRules}`),
    file(
      'leader_election_role_binding',
      binding('Role', { binding: 'leader-election-rolebinding', role: 'leader-election-role' }),
    ),
    file('metrics_auth_role', `${api}kind: ClusterRole\nmetadata:\n  name: metrics-auth-role\n${metricsAuthRules}`),
    file(
      'metrics_auth_role_binding',
      binding('ClusterRole', { binding: 'metrics-auth-rolebinding', role: 'metrics-auth-role' }),
    ),
    file('metrics_reader_role', `${api}kind: ClusterRole\nmetadata:\n  name: metrics-reader\n${metricsReaderRules}`),
  ];
}

const leaderElectionRules = `rules:
- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - patch
  - delete
- apiGroups:
  - ""
  - events.k8s.io
  resources:
  - events
  verbs:
  - create
  - patch
`;

const metricsAuthRules = `rules:
- apiGroups:
  - authentication.k8s.io
  resources:
  - tokenreviews
  verbs:
  - create
- apiGroups:
  - authorization.k8s.io
  resources:
  - subjectaccessreviews
  verbs:
  - create
`;

const metricsReaderRules = `rules:
- nonResourceURLs:
  - /metrics
  verbs:
  - get
`;
