import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { systemClock } from '@kubewright/apimachinery';
import type { EmbeddedClusterOptions } from '@kubewright/controlplane';
import { CliError } from '../program/cli-error.ts';
import { defaultPlugins, missingPlugins, optionalPlugins } from './kube-apiserver-flags.ts';
import { type Flags, wrong } from './parse-flags.ts';
import { servingPair } from './serving-pair.ts';

type ServerSettings = NonNullable<EmbeddedClusterOptions['server']>;

/** Options for the embedded cluster that the flags of kube-apiserver determine. */
export interface ApiServerSettings {
  readonly port: number;
  readonly server: ServerSettings;
  /** Messages about the flags for the user. */
  readonly warnings: readonly string[];
}

const program = 'kube-apiserver';
/** As upstream. */
const defaultPort = 6443;

/** Reads the flags and the files that they name. @throws CliError KW7001 if a value is invalid, KW7011 if a file cannot be read */
export function apiServerSettings(flags: Flags): ApiServerSettings {
  if (last(flags, 'etcd-servers') === undefined) throw wrong(program, '--etcd-servers must be specified');
  const files = (name: string): readonly string[] => list(flags, name).map((path) => read(name, path));
  // Upstream's default is every address; the embedded server is only for this machine.
  const host = last(flags, 'bind-address') ?? '127.0.0.1';
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const advertiseAddress = last(flags, 'advertise-address');
  const hosts = [advertiseAddress ?? [], isEverywhere ? ownAddresses() : host].flat();
  return {
    port: portOf(flags),
    warnings: isEverywhere
      ? [
          `--bind-address=${host} exposes the server to other machines; without this flag, the server listens on 127.0.0.1`,
        ]
      : [],
    server: {
      host,
      advertiseAddress,
      serving: servingOf(flags, hosts),
      clientCa: files('client-ca-file').at(-1),
      tokens: tokensOf(files('token-auth-file').at(-1)),
      serviceAccounts: {
        signingKey: files('service-account-signing-key-file').at(-1),
        keys: files('service-account-key-file'),
        issuer: flags.get('service-account-issuer')?.[0],
      },
      serviceCidr: serviceCidr(flags),
      authorization: authorizationMode(flags),
      disabledAdmissionPlugins: disabledPlugins(flags),
    },
  };
}

/** Returns the addresses of this machine. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}

function last(flags: Flags, name: string): string | undefined {
  return flags.get(name)?.at(-1) || undefined;
}

function list(flags: Flags, name: string): readonly string[] {
  return (flags.get(name) ?? []).flatMap((value) => value.split(',')).filter((value) => value !== '');
}

function read(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = (cause as Error).message;
    throw new CliError(
      'KW7011',
      {
        what: `${program} cannot read the file passed with --${flag}`,
        why,
        remedy: 'pass a file that exists and is readable',
      },
      { cause },
    );
  }
}

function portOf(flags: Flags): number {
  const text = last(flags, 'secure-port') ?? String(defaultPort);
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw wrong(program, `--secure-port ${text} must be between 1 and 65535`);
}

/**
 * Returns the certificate of `--tls-cert-file`, or else of `--cert-dir`. With neither flag, the cluster issues its own
 * certificate.
 */
function servingOf(flags: Flags, hosts: readonly string[]): ServerSettings['serving'] {
  const certificateFile = last(flags, 'tls-cert-file');
  const keyFile = last(flags, 'tls-private-key-file');
  if (certificateFile !== undefined && keyFile !== undefined) {
    return { certificate: read('tls-cert-file', certificateFile), key: read('tls-private-key-file', keyFile) };
  }
  const folder = last(flags, 'cert-dir');
  return folder === undefined ? undefined : servingPair(folder, { hosts, nowMs: systemClock.now() });
}

/** Parses `token,user,uid,"group1,group2"` per line. */
function tokensOf(text: string | undefined): ServerSettings['tokens'] {
  if (text === undefined) return undefined;
  const rows = text.split('\n').map((line) => line.trim());
  return new Map(
    rows
      .filter((line) => line !== '')
      .map((line) => {
        const [, token = '', username = '', uid = '', groups = ''] =
          /^([^,]*),([^,]*),([^,]*)(?:,"?([^"]*)"?)?$/.exec(line) ?? [];
        if (token === '' || username === '') {
          throw wrong(program, 'a line of --token-auth-file does not have the form token,user,uid,"group1,group2"');
        }
        return [token, { username, uid, groups: groups.split(',').filter((group) => group !== ''), extra: {} }];
      }),
  );
}

function serviceCidr(flags: Flags): string | undefined {
  const cidrs = list(flags, 'service-cluster-ip-range');
  if (cidrs.length > 1) throw wrong(program, 'only one --service-cluster-ip-range is supported', 'pass one IPv4 range');
  const [cidr] = cidrs;
  if (cidr !== undefined && !/^\d+\.\d+\.\d+\.\d+\/\d+$/.test(cidr)) {
    throw wrong(program, `--service-cluster-ip-range ${cidr} is not an IPv4 range`, 'pass a range such as 10.0.0.0/24');
  }
  return cidr;
}

function authorizationMode(flags: Flags): ServerSettings['authorization'] {
  const modes = list(flags, 'authorization-mode');
  const unknown = modes.find((mode) => !['RBAC', 'Node', 'AlwaysAllow'].includes(mode));
  if (unknown !== undefined) {
    throw wrong(program, `--authorization-mode ${unknown} is not supported`, 'use RBAC, Node or AlwaysAllow');
  }
  // Upstream's default is AlwaysAllow; in a list of modes, AlwaysAllow allows everything that the other modes do not.
  return modes.length === 0 || modes.includes('AlwaysAllow') ? 'AlwaysAllow' : 'Node,RBAC';
}

function disabledPlugins(flags: Flags): readonly string[] {
  const disabled = list(flags, 'disable-admission-plugins');
  const enabled = list(flags, 'enable-admission-plugins');
  for (const name of [...disabled, ...enabled]) {
    if (!defaultPlugins.has(name) && !optionalPlugins.has(name)) {
      throw wrong(program, `unknown admission plugin ${name}`, 'correct the name of the plugin');
    }
  }
  const isMissing = (name: string): boolean => missingPlugins.has(name) || optionalPlugins.has(name);
  const missing = enabled.find((name) => isMissing(name) && name !== 'NodeRestriction');
  if (missing !== undefined) {
    throw wrong(
      program,
      `the admission plugin ${missing} is not supported`,
      'remove the plugin from --enable-admission-plugins, or use a real kube-apiserver',
    );
  }
  // Upstream runs this plugin only if it is enabled explicitly.
  return [...disabled, ...(enabled.includes('NodeRestriction') ? [] : ['NodeRestriction'])];
}
