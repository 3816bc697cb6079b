import { defined } from '@kubewright/apimachinery/internal';
import type { LeaderElectionOptions } from '../leader-election/leader-election-options.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { WebhookDefinition } from '../webhook/webhook-definition.ts';
import { logFlags, loggerOf } from './log-flags.ts';
import { type FlagDefinition, FlagError, flagUsage, parseFlags } from './parse-flags.ts';
import { filesOf, webhookFlags, webhookServerOf } from './webhook-flags.ts';

/** Options for {@link managerFlags}. */
export interface ManagerFlagsOptions {
  /** The leader election that `--leader-elect` enables; without it, the flag is rejected. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /**
   * The webhooks to serve. With `--webhook-service`, the operator injects its own certificate authority into the
   * webhooks' configurations.
   */
  readonly webhooks?: readonly WebhookDefinition[] | undefined;
}

/** The manager options that flags control. */
type ManagerFlags = Pick<
  ManagerOptions,
  | 'kubeconfig'
  | 'context'
  | 'namespaces'
  | 'leaderElection'
  | 'healthProbeBindAddress'
  | 'metricsBindAddress'
  | 'metricsSecurity'
  | 'webhookServer'
  | 'log'
>;

const known: Readonly<Record<string, FlagDefinition>> = {
  kubeconfig: { type: 'text', help: 'path of a kubeconfig file' },
  context: { type: 'text', help: 'kubeconfig context to use' },
  namespace: { type: 'text', help: 'comma-separated namespaces to watch; default: all namespaces' },
  'leader-elect': { type: 'boolean', help: 'enable leader election: only the leader reconciles', default: 'false' },
  'health-probe-bind-address': {
    type: 'text',
    help: 'address of /healthz and /readyz; 0 disables the server',
    default: ':8081',
  },
  'metrics-bind-address': { type: 'text', help: 'address of /metrics; 0 disables the server', default: '0' },
  'metrics-secure': { type: 'boolean', help: 'serve metrics over HTTPS to authorized clients only', default: 'true' },
  'metrics-cert-path': { type: 'text', help: 'directory of the metrics certificate' },
  'metrics-cert-name': { type: 'text', help: 'file name of the metrics certificate', default: 'tls.crt' },
  'metrics-cert-key': { type: 'text', help: 'file name of the key of the metrics certificate', default: 'tls.key' },
  ...webhookFlags,
  'enable-http2': {
    type: 'boolean',
    help: 'not supported: metrics and webhooks are served over HTTP/1.1',
    default: 'false',
  },
  ...logFlags,
};

/**
 * Parses the flags of a kubebuilder project's manager (v4), with the same names and defaults, so that existing deployments and
 * charts can start this operator unchanged. `--namespace`, `--webhook-host` and `--webhook-service` are additions.
 *
 * @example
 * ```ts
 * const flags = managerFlags(process.argv.slice(2), { leaderElection: { id: '1a2b3c.example.com' } });
 * await new Manager({ controllers, ...flags }).run();
 * ```
 * @throws FlagError (KW3032) for an invalid command line; its message lists the flags.
 */
export function managerFlags(args: readonly string[], options: ManagerFlagsOptions = {}): ManagerFlags {
  const flags = parseFlags(args, known);
  const is = (name: string): boolean => (flags.get(name) ?? known[name]?.default) === 'true';
  if (is('enable-http2'))
    throw new FlagError({
      what: 'cannot enable HTTP/2',
      why: 'metrics and webhooks are served over HTTP/1.1 only',
      remedy: 'remove --enable-http2',
    });
  if (is('leader-elect') && !options.leaderElection)
    throw new FlagError({
      what: 'cannot enable leader election',
      why: 'this program does not configure leader election',
      remedy: 'remove --leader-elect',
    });
  const [kubeconfig, context, log] = [flags.get('kubeconfig'), flags.get('context'), loggerOf(flags)];
  const namespaces = namespacesOf(flags.get('namespace') ?? '');
  const metricsCertificates = filesOf('metrics', flags);
  return {
    ...defined({ kubeconfig, context }),
    ...(namespaces.length > 0 && { namespaces }),
    ...(is('leader-elect') && options.leaderElection && { leaderElection: options.leaderElection }),
    healthProbeBindAddress: flags.get('health-probe-bind-address') ?? ':8081',
    metricsBindAddress: flags.get('metrics-bind-address') ?? '0',
    ...(is('metrics-secure') && {
      metricsSecurity: metricsCertificates ? { certificates: metricsCertificates } : {},
    }),
    webhookServer: webhookServerOf(flags, options.webhooks ?? []),
    ...defined({ log }),
  };
}

/**
 * Lists the flags of {@link managerFlags}, one per line, for `--help`.
 *
 * @example
 * ```ts
 * if (process.argv.includes('--help')) console.log(managerFlagsUsage());
 * ```
 */
export function managerFlagsUsage(): string {
  return flagUsage(known);
}

function namespacesOf(text: string): readonly string[] {
  const names = text.split(',').map((each) => each.trim());
  const found = [...new Set(names.filter((each) => each !== ''))];
  const wrong = found.find((each) => each.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(each));
  if (wrong === undefined) return found;
  throw new FlagError({
    what: `invalid value ${JSON.stringify(wrong)} for --namespace`,
    why: 'must be the name of a namespace',
  });
}
