import { dirname, isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { ConfigError } from './config-error.ts';
import { type Fields, readFields } from './fields.ts';
import type { ClusterEntry, ContextEntry, ExecEntry, Impersonation, Kubeconfig, UserEntry } from './kubeconfig.ts';

const maxBytes = 16 << 20;

/**
 * Parses one kubeconfig file. Relative paths are resolved against the file's folder. @throws ConfigError `KW2202` that
 * names the file and the field.
 */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  if (text.length > maxBytes)
    throw new ConfigError('KW2202', {
      what: `cannot read kubeconfig ${file}`,
      why: `the file is larger than ${maxBytes >> 20} MiB`,
    });
  let document: unknown;
  try {
    document = parse(text, { maxAliasCount: 100, uniqueKeys: true, logLevel: 'silent' });
  } catch (cause) {
    throw new ConfigError(
      'KW2202',
      { what: `cannot read kubeconfig ${file}`, why: `invalid YAML: ${firstLine(cause)}` },
      { cause },
    );
  }
  const root = readFields(document ?? {}, `kubeconfig ${file}`);
  const path = (value: string | undefined): string | undefined =>
    value === undefined || isAbsolute(value) ? value : resolve(dirname(file), value);
  return {
    currentContext: root.text('current-context'),
    clusters: named(root, { list: 'clusters', item: 'cluster', decode: (fields) => cluster(fields, path) }),
    users: named(root, { list: 'users', item: 'user', decode: (fields) => user(fields, path) }),
    contexts: named(root, { list: 'contexts', item: 'context', decode: context }),
  };
}

type PathResolver = (value: string | undefined) => string | undefined;

function named<E>(
  root: Fields,
  options: { readonly list: string; readonly item: string; readonly decode: (fields: Fields) => E },
): ReadonlyMap<string, E> {
  const entries = new Map<string, E>();
  for (const entry of root.objects(options.list)) {
    const name = entry.text('name') ?? '';
    if (!entries.has(name)) entries.set(name, options.decode(entry.object(options.item)));
  }
  return entries;
}

function cluster(fields: Fields, path: PathResolver): ClusterEntry {
  const extension = fields
    .objects('extensions')
    .find((entry) => entry.text('name') === 'client.authentication.k8s.io/exec');
  return {
    server: fields.text('server'),
    certificateAuthority: path(fields.text('certificate-authority')),
    certificateAuthorityData: fields.text('certificate-authority-data'),
    insecureSkipTlsVerify: fields.flag('insecure-skip-tls-verify'),
    tlsServerName: fields.text('tls-server-name'),
    proxyUrl: fields.text('proxy-url'),
    disableCompression: fields.flag('disable-compression'),
    execConfig: extension?.raw('extension'),
  };
}

function user(fields: Fields, path: PathResolver): UserEntry {
  return {
    clientCertificate: path(fields.text('client-certificate')),
    clientCertificateData: fields.text('client-certificate-data'),
    clientKey: path(fields.text('client-key')),
    clientKeyData: fields.text('client-key-data'),
    token: fields.text('token'),
    tokenFile: path(fields.text('tokenFile')),
    username: fields.text('username'),
    password: fields.text('password'),
    impersonate: impersonation(fields),
    exec: fields.has('exec') ? exec(fields.object('exec'), path) : undefined,
    authProvider: fields.has('auth-provider') ? (fields.object('auth-provider').text('name') ?? '') : undefined,
  };
}

function impersonation(fields: Fields): Impersonation | undefined {
  const extra = new Map<string, readonly string[]>();
  const extraFields = fields.object('as-user-extra');
  for (const key of extraFields.keys()) extra.set(key, extraFields.texts(key));
  const found = { user: fields.text('as'), uid: fields.text('as-uid'), groups: fields.texts('as-groups'), extra };
  const given = found.user !== undefined || found.uid !== undefined || found.groups.length > 0 || extra.size > 0;
  return given ? found : undefined;
}

function exec(fields: Fields, path: PathResolver): ExecEntry {
  const command = fields.text('command') ?? '';
  const mode = fields.text('interactiveMode');
  if (mode !== undefined && mode !== 'Never' && mode !== 'IfAvailable' && mode !== 'Always') {
    throw fields.error('interactiveMode', 'must be Never, IfAvailable or Always');
  }
  return {
    apiVersion: fields.text('apiVersion') ?? '',
    // A bare name is looked up in PATH; anything with a separator is a path.
    command: /[/\\]/.test(command) ? (path(command) ?? command) : command,
    args: fields.texts('args'),
    env: fields.objects('env').map((entry) => ({ name: entry.text('name') ?? '', value: entry.text('value') ?? '' })),
    installHint: fields.text('installHint'),
    provideClusterInfo: fields.flag('provideClusterInfo'),
    interactiveMode: mode,
  };
}

function context(fields: Fields): ContextEntry {
  return {
    cluster: fields.text('cluster') ?? '',
    user: fields.text('user') ?? '',
    namespace: fields.text('namespace'),
  };
}

function firstLine(error: unknown): string {
  // The first line has the error and its position. The following lines quote the file, which contains secrets.
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
