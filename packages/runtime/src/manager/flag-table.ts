/** What can be said of a flag. */
export interface Flag {
  readonly type: 'text' | 'boolean';
  readonly value?: string;
  /** For people. */
  readonly help: string;
}

/** Name of a flag. */
export type FlagName =
  | 'kubeconfig'
  | 'context'
  | 'namespace'
  | 'leader-elect'
  | 'health-probe-bind-address'
  | 'metrics-bind-address'
  | 'metrics-secure'
  | 'metrics-cert-path'
  | 'metrics-cert-name'
  | 'metrics-cert-key'
  | 'webhook-port'
  | 'webhook-cert-path'
  | 'webhook-cert-name'
  | 'webhook-cert-key'
  | 'enable-http2'
  | 'zap-devel'
  | 'zap-encoder'
  | 'zap-log-level'
  | 'zap-stacktrace-level'
  | 'zap-time-encoding';

/** The flags of operators made with kubebuilder 4, with its defaults: charts and manifests that set them go on working. */
export const flagTable: Readonly<Record<FlagName, Flag>> = {
  kubeconfig: {
    type: 'text',
    value: 'PATH',
    help: 'kubeconfig; else KUBECONFIG, the service account of the pod, ~/.kube/config',
  },
  context: { type: 'text', value: 'NAME', help: 'context in the kubeconfig (its current one)' },
  namespace: { type: 'text', value: 'A,B', help: 'namespaces that are looked at (all)' },
  'leader-elect': { type: 'boolean', help: 'let one of several replicas work (no)' },
  'health-probe-bind-address': { type: 'text', value: 'ADDRESS', help: '/healthz and /readyz; 0 for none (:8081)' },
  'metrics-bind-address': { type: 'text', value: 'ADDRESS', help: '/metrics, such as :8443; 0 for none (0)' },
  'metrics-secure': { type: 'boolean', help: 'serve metrics over HTTPS, to those whom the API server lets (yes)' },
  'metrics-cert-path': { type: 'text', value: 'FOLDER', help: 'certificate of the metrics server' },
  'metrics-cert-name': { type: 'text', value: 'FILE', help: 'in that folder (tls.crt)' },
  'metrics-cert-key': { type: 'text', value: 'FILE', help: 'in that folder (tls.key)' },
  'webhook-port': { type: 'text', value: 'PORT', help: 'where webhooks are served (9443)' },
  'webhook-cert-path': { type: 'text', value: 'FOLDER', help: 'certificate of the webhook server' },
  'webhook-cert-name': { type: 'text', value: 'FILE', help: 'in that folder (tls.crt)' },
  'webhook-cert-key': { type: 'text', value: 'FILE', help: 'in that folder (tls.key)' },
  'enable-http2': { type: 'boolean', help: 'taken as "no" only: these servers speak HTTP/1.1' },
  'zap-devel': { type: 'boolean', help: 'log for people, all levels (no)' },
  'zap-encoder': { type: 'text', value: 'FORM', help: 'json or console (console on a terminal)' },
  'zap-log-level': {
    type: 'text',
    value: 'LEVEL',
    help: 'debug, info, warn, error, or a number above 0 for debug (info)',
  },
  'zap-stacktrace-level': { type: 'text', value: 'LEVEL', help: 'taken as "error" only: errors have their stack' },
  'zap-time-encoding': {
    type: 'text',
    value: 'FORM',
    help: 'taken as iso8601, rfc3339 or rfc3339nano, which are one here',
  },
};

/** What `--help` prints of the flags. */
export function flagHelp(): string {
  return Object.entries<Flag>(flagTable)
    .map(([name, { value, help }]) => `  ${`--${name}${value ? ` ${value}` : ''}`.padEnd(38)}${help}`)
    .join('\n');
}
