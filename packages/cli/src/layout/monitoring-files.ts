import { generatedFile, type ProjectFile } from '../project/write-files.ts';
import { monitorPatchEntry } from './certmanager-files.ts';
import { patchesOf } from './patch-entry.ts';

/**
 * Returns optional manifests: scraping by the Prometheus operator, and network policies. `config/default` does not include
 * them: not every cluster has the Prometheus operator's kinds, and policies change the allowed traffic.
 */
export function monitoringFiles(
  project: string,
  { hasWebhooks, byCertManager }: { readonly hasWebhooks: boolean; readonly byCertManager: boolean },
): readonly ProjectFile[] {
  const list = (names: readonly string[]): string => `resources:\n${names.map((name) => `- ${name}\n`).join('')}`;
  const policies = ['allow-metrics-traffic.yaml', ...(hasWebhooks ? ['allow-webhook-traffic.yaml'] : [])];
  return [
    generatedFile(
      'config/prometheus/kustomization.yaml',
      `${list(['monitor.yaml'])}${patchesOf(byCertManager ? [monitorPatchEntry] : [])}`,
    ),
    generatedFile('config/prometheus/monitor.yaml', monitor(project)),
    generatedFile('config/network-policy/kustomization.yaml', list(policies)),
    generatedFile('config/network-policy/allow-metrics-traffic.yaml', policy(project, { what: 'metrics', port: 8443 })),
    // This is the pod's port, not the service's, because policies apply to traffic that reaches a pod.
    ...(hasWebhooks
      ? [
          generatedFile(
            'config/network-policy/allow-webhook-traffic.yaml',
            policy(project, { what: 'webhook', port: 9443 }),
          ),
        ]
      : []),
  ];
}

function monitor(project: string): string {
  return `apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  labels:
    control-plane: controller-manager
    app.kubernetes.io/name: ${project}
    app.kubernetes.io/managed-by: kustomize
  name: controller-manager-metrics-monitor
  namespace: system
spec:
  endpoints:
  - path: /metrics
    port: https
    scheme: https
    bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
    tlsConfig:
      # The operator's certificate is self-signed; with cert-manager, monitor_tls_patch.yaml sets the CA instead.
      insecureSkipVerify: true
  selector:
    matchLabels:
      control-plane: controller-manager
      app.kubernetes.io/name: ${project}
`;
}

function policy(
  project: string,
  { what, port }: { readonly what: 'metrics' | 'webhook'; readonly port: number },
): string {
  return `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  labels:
    app.kubernetes.io/name: ${project}
    app.kubernetes.io/managed-by: kustomize
  name: allow-${what}-traffic
  namespace: system
spec:
  podSelector:
    matchLabels:
      control-plane: controller-manager
      app.kubernetes.io/name: ${project}
  policyTypes:
  - Ingress
  ingress:
  - ${what === 'metrics' ? fromLabeled : ''}ports:
    - port: ${port}
      protocol: TCP
`;
}

// The policy for webhooks has no `from` rule: the API server that calls webhooks is in no namespace, so no namespace
// selector matches it.
const fromLabeled = `from:
    - namespaceSelector:
        matchLabels:
          metrics: enabled
    `;
