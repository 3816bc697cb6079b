import type { FlagTable } from './parse-flags.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Flags that determine how the embedded API server runs. */
const used: readonly string[] = words(`
  advertise-address bind-address cert-dir client-ca-file disable-admission-plugins enable-admission-plugins secure-port
  authorization-mode etcd-servers service-account-issuer service-account-key-file service-account-signing-key-file
  service-cluster-ip-range tls-cert-file tls-private-key-file token-auth-file
`);

/** Flags for etcd connections, logs, caches and tuning: accepted without a warning, because they would not change the result. */
const irrelevantFlags: readonly string[] = words(`
  delete-collection-workers endpoint-reconciler-type etcd-cafile etcd-certfile etcd-compaction-interval
  etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-keyfile etcd-prefix
  etcd-readycheck-timeout etcd-servers-overrides lease-reuse-duration-seconds log-flush-frequency log-json-info-buffer-size
  log-text-info-buffer-size logging-format storage-backend storage-initialization-timeout storage-media-type v vmodule
  watch-cache-sizes
`);
const irrelevantSwitches: readonly string[] = words(`
  allow-privileged contention-profiling enable-logs-handler log-json-split-stream log-text-split-stream profiling watch-cache
`);

/** Flags of kube-apiserver 1.36 for features that the embedded API server does not have: reported, then ignored. */
const unsupported: readonly string[] = words(`
  admission-control admission-control-config-file allow-metric-labels allow-metric-labels-manifest api-audiences
  audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait audit-log-batch-throttle-burst
  audit-log-batch-throttle-qps audit-log-format audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-mode
  audit-log-path audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-log-version audit-policy-file
  audit-webhook-batch-buffer-size audit-webhook-batch-max-size audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst
  audit-webhook-batch-throttle-qps audit-webhook-config-file audit-webhook-initial-backoff audit-webhook-mode
  audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size audit-webhook-version authentication-config
  authentication-token-webhook-cache-ttl authentication-token-webhook-config-file authentication-token-webhook-version
  authorization-config authorization-policy-file authorization-webhook-cache-authorized-ttl
  authorization-webhook-cache-unauthorized-ttl authorization-webhook-config-file authorization-webhook-version
  coordinated-leadership-lease-duration coordinated-leadership-renew-deadline coordinated-leadership-retry-period
  cors-allowed-origins debug-socket-path default-not-ready-toleration-seconds default-unreachable-toleration-seconds
  disabled-metrics egress-selector-config-file emulated-version encryption-provider-config event-ttl external-hostname
  feature-gates goaway-chance http2-max-streams-per-connection kubelet-certificate-authority kubelet-client-certificate
  kubelet-client-key kubelet-preferred-address-types kubelet-timeout kubernetes-service-node-port livez-grace-period
  max-connection-bytes-per-sec max-mutating-requests-inflight max-requests-inflight min-compatibility-version
  min-request-timeout oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url oidc-required-claim
  oidc-signing-algs oidc-username-claim oidc-username-prefix peer-advertise-ip peer-advertise-port peer-ca-file
  proxy-client-cert-file proxy-client-key-file request-timeout requestheader-allowed-names requestheader-client-ca-file
  requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers requestheader-username-headers
  runtime-config service-account-jwks-uri service-account-max-token-expiration service-account-signing-endpoint
  service-node-port-range show-hidden-metrics-for-version shutdown-delay-duration shutdown-watch-termination-grace-period
  strict-transport-security-directives tls-cipher-suites tls-curve-preferences tls-min-version tls-sni-cert-key
  tracing-config-file
`);
const unsupportedSwitches: readonly string[] = words(`
  aggregator-reject-forwarding-redirect anonymous-auth audit-log-batch-throttle-enable audit-log-compress
  audit-log-truncate-enabled audit-webhook-batch-throttle-enable audit-webhook-truncate-enabled disable-http2-serving
  emulation-forward-compatible enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector
  enable-priority-and-fairness encryption-provider-config-automatic-reload permit-address-sharing permit-port-sharing
  runtime-config-emulation-forward-compatible service-account-extend-token-expiration service-account-lookup
  shutdown-send-retry-after
`);

/** The flags of kube-apiserver 1.36. */
export const apiServerFlags: FlagTable = {
  values: new Set([...used, ...irrelevantFlags, ...unsupported]),
  switches: new Set([...irrelevantSwitches, ...unsupportedSwitches, 'version']),
};

/** Flags that have an effect upstream, but not in the embedded API server. */
export const ignoredFlags: ReadonlySet<string> = new Set([...unsupported, ...unsupportedSwitches]);

/** Admission plugins of kube-apiserver 1.36 that run by default. */
export const defaultPlugins: ReadonlySet<string> = new Set(
  words(`
  NamespaceLifecycle LimitRanger ServiceAccount DefaultStorageClass PersistentVolumeClaimResize DefaultTolerationSeconds
  MutatingAdmissionWebhook ValidatingAdmissionWebhook ResourceQuota StorageObjectInUseProtection PodGroupProtection Priority
  TaintNodesByCondition RuntimeClass CertificateApproval CertificateSigning ClusterTrustBundleAttest
  CertificateSubjectRestriction DefaultIngressClass PodSecurity PodTopologyLabels MutatingAdmissionPolicy
  ValidatingAdmissionPolicy PodGroupWorkloadExists NodeDeclaredFeatureValidator JobValidation PodResizeValidator
`),
);

/** Default plugins that the embedded API server does not have. */
export const missingPlugins: ReadonlySet<string> = new Set(
  words(`
  PodGroupProtection RuntimeClass ClusterTrustBundleAttest
  PodTopologyLabels MutatingAdmissionPolicy
  PodGroupWorkloadExists NodeDeclaredFeatureValidator JobValidation PodResizeValidator
`),
);

/** Admission plugins of kube-apiserver 1.36 that must be enabled explicitly. */
export const optionalPlugins: ReadonlySet<string> = new Set(
  words(`
  AlwaysAdmit NamespaceAutoProvision NamespaceExists LimitPodHardAntiAffinityTopology NodeRestriction AlwaysPullImages
  ImagePolicyWebhook PodNodeSelector PodTolerationRestriction EventRateLimit ExtendedResourceToleration
  OwnerReferencesPermissionEnforcement DenyServiceExternalIPs AlwaysDeny
`),
);

/** Returns the text of `--help`, in which envtest looks for the flags that it can pass. */
export function apiServerHelp(): string {
  const line = (name: string, takesValue: boolean): string =>
    `      --${name}${takesValue ? ' value' : ''}${ignoredFlags.has(name) ? '   (ignored)' : ''}\n`;
  const { values, switches } = apiServerFlags;
  const lines = [...[...values].map((name) => line(name, true)), ...[...switches].map((name) => line(name, false))];
  return `The API server of Kubewright's embedded cluster, with the flags of kube-apiserver.

The environment variable KUBEWRIGHT_COMPONENTS lists the components to run: apiserver (the default); namespace-controller, which
deletes the contents of deleted namespaces; garbage-collector-controller; controllers, for all controllers; or *, for all components,
including a scheduler and a node.

Usage:
  kube-apiserver [flags]

Flags:
${lines.sort().join('')}`;
}
