import { type Clock, systemClock } from '@kubewright/apimachinery';
import { type CertificateFilesOptions, certificateFiles } from '../certificates/certificate-files.ts';
import { defaultLogger } from '../log/default-logger.ts';
import { jsonLogger } from '../log/json-logger.ts';
import type { LogLevel } from '../log/logger.ts';
import { prettyLogger } from '../log/pretty-logger.ts';
import { FlagError } from './flag-error.ts';
import { type FlagName, flagHelp, flagTable } from './flag-table.ts';
import type { ManagerOptions } from './manager-options.ts';

/** Options of {@link managerFlags}. */
export interface ManagerFlagsOptions {
  /** Name of the Lease behind `--leader-elect`, the same for all replicas, such as `a1b2.db.example.com`. */
  readonly leaderElectionId: string;
  readonly clock?: Clock;
}

/** What flags decide; the rest of {@link ManagerOptions} is the program's own. */
export type FlaggedOptions = Pick<
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

/**
 * Reads the flags of an operator as kubebuilder's scaffold (4.15) names them: `--leader-elect`, `--metrics-bind-address`,
 * `--health-probe-bind-address`, `--kubeconfig`, `--zap-log-level` and so on. One dash or two, `--flag=value` or `--flag value`.
 *
 * @example
 * ```ts
 * const flags = managerFlags(process.argv.slice(2), { leaderElectionId: 'a1b2.db.example.com' });
 * await new Manager({ controllers: [postgresql], ...flags }).run();
 * ```
 * @throws FlagError (KW3018) for flags that cannot be used, and for `--help` (`isHelp`).
 */
export function managerFlags(args: readonly string[], options: ManagerFlagsOptions): FlaggedOptions {
  const given = readFlags(args);
  const text = (name: FlagName): string | undefined => given.get(name);
  const isOn = (name: FlagName, otherwise: boolean): boolean => booleanOf(name, given.get(name)) ?? otherwise;
  takenOnlyAs('enable-http2', isOn('enable-http2', false) ? 'true' : undefined, []);
  takenOnlyAs('zap-stacktrace-level', text('zap-stacktrace-level'), ['error']);
  takenOnlyAs('zap-time-encoding', text('zap-time-encoding'), ['iso8601', 'rfc3339', 'rfc3339nano']);
  const metricsFiles = filesOf(given, 'metrics');
  const webhookFiles = filesOf(given, 'webhook');
  const port = text('webhook-port');
  const namespaces = text('namespace')?.split(',').filter(Boolean);
  const kubeconfig = text('kubeconfig');
  const context = text('context');
  return {
    healthProbeBindAddress: text('health-probe-bind-address') ?? ':8081',
    metricsBindAddress: text('metrics-bind-address') ?? '0',
    ...(isOn('metrics-secure', true) && {
      metricsSecurity: metricsFiles ? { certificates: certificateFiles(metricsFiles) } : {},
    }),
    webhookServer: {
      ...(port !== undefined && { port: portOf(port) }),
      ...(webhookFiles && { certificates: certificateFiles(webhookFiles) }),
    },
    log: loggerOf(given, options.clock ?? systemClock),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    ...(namespaces && namespaces.length > 0 && { namespaces }),
    ...(isOn('leader-elect', false) && { leaderElection: { id: options.leaderElectionId } }),
  };
}

type Given = ReadonlyMap<FlagName, string>;

function readFlags(args: readonly string[]): Given {
  const given = new Map<FlagName, string>();
  for (let i = 0; i < args.length; i++) {
    const [, name = '', value] = /^--?([a-z0-9][a-z0-9-]*)(?:=(.*))?$/s.exec(args[i]!) ?? [];
    if (name === 'help' || name === 'h') throw new FlagError(`Flags:\n${flagHelp()}`, { isHelp: true });
    if (!Object.hasOwn(flagTable, name))
      throw new FlagError(`there is no flag ${args[i]}; --help lists those there are`);
    const flag = name as FlagName;
    if (value !== undefined) given.set(flag, value);
    else if (flagTable[flag].type === 'boolean') given.set(flag, 'true');
    else if (i + 1 < args.length) given.set(flag, args[++i]!);
    else throw new FlagError(`--${name} needs a value: ${flagTable[flag].help}`);
  }
  return given;
}

function booleanOf(name: FlagName, value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (['true', 't', '1'].includes(value.toLowerCase())) return true;
  if (['false', 'f', '0'].includes(value.toLowerCase())) return false;
  throw new FlagError(`--${name} is true or false, not "${value}"`);
}

function takenOnlyAs(name: FlagName, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return;
  throw new FlagError(`--${name}=${value} is not offered here: ${flagTable[name].help}`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new FlagError(`--webhook-port is a number from 0 to 65535, not "${text}"`);
}

function filesOf(given: Given, server: 'metrics' | 'webhook'): CertificateFilesOptions | undefined {
  const directory = given.get(`${server}-cert-path`);
  if (!directory) return undefined;
  const certificate = given.get(`${server}-cert-name`);
  const key = given.get(`${server}-cert-key`);
  return { directory, ...(certificate && { certificate }), ...(key && { key }) };
}

function loggerOf(given: Given, clock: Clock): NonNullable<ManagerOptions['log']> {
  const devel = booleanOf('zap-devel', given.get('zap-devel')) ?? false;
  const level = levelOf(given.get('zap-log-level')) ?? (devel ? 'debug' : 'info');
  const encoder = given.get('zap-encoder') ?? (devel ? 'console' : undefined);
  const now = (): number => clock.now();
  if (encoder === 'json') return jsonLogger({ level, now });
  if (encoder === 'console') {
    return prettyLogger({ level, now, destination: { write: (line) => void process.stderr.write(line) } });
  }
  takenOnlyAs('zap-encoder', encoder, ['json', 'console']);
  return defaultLogger({ clock, level });
}

function levelOf(text: string | undefined): LogLevel | undefined {
  if (text === undefined) return undefined;
  if (text === 'debug' || text === 'info' || text === 'warn' || text === 'error') return text;
  if (text === 'panic') return 'error';
  // zap's verbosity: the higher, the more.
  if (/^\d+$/.test(text)) return Number(text) > 0 ? 'debug' : 'info';
  throw new FlagError(`--zap-log-level is ${flagTable['zap-log-level'].help}; not "${text}"`);
}
