import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiServerSettings } from './api-server-settings.ts';
import { apiServerFlags } from './kube-apiserver-flags.ts';
import { parseFlags } from './parse-flags.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kw-flags-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = (...args: readonly string[]) =>
  apiServerSettings(
    parseFlags('kube-apiserver', { args: ['--etcd-servers=http://127.0.0.1:1', ...args], table: apiServerFlags }),
  );

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('apiServerSettings', () => {
  it('has the defaults of kube-apiserver', () => {
    const { port, server } = settings();
    expect(port).toBe(6443);
    expect(server).toMatchObject({ host: '127.0.0.1', authorization: 'AlwaysAllow' });
    expect(server.disabledAdmissionPlugins).toEqual(['NodeRestriction']);
  });

  it('reads what envtest passes', () => {
    const [ca, key, publicKey] = [file('ca', 'CA'), file('key', 'KEY'), file('pub', 'PUBLIC')];
    writeFileSync(join(folder, 'apiserver.crt'), 'CRT');
    writeFileSync(join(folder, 'apiserver.key'), 'CRT KEY');
    const { port, server } = settings(
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${folder}`,
      `--client-ca-file=${ca}`,
      '--disable-admission-plugins=ServiceAccount',
      '--enable-admission-plugins',
      'NodeRestriction,Priority',
      '--secure-port=1234',
      '--service-account-issuer=https://127.0.0.1:1234/',
      `--service-account-key-file=${publicKey}`,
      `--service-account-signing-key-file=${key}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      `--token-auth-file=${file('tokens', 't1,ann,1,"a,b"\nt2,bob,2\n')}`,
    );
    expect(port).toBe(1234);
    expect(server).toEqual({
      host: '127.0.0.1',
      serving: { certificate: 'CRT', key: 'CRT KEY' },
      clientCa: 'CA',
      tokens: new Map([
        ['t1', { username: 'ann', uid: '1', groups: ['a', 'b'], extra: {} }],
        ['t2', { username: 'bob', uid: '2', groups: [], extra: {} }],
      ]),
      serviceAccounts: { signingKey: 'KEY', keys: ['PUBLIC'], issuer: 'https://127.0.0.1:1234/' },
      serviceCidr: '10.0.0.0/24',
      authorization: 'Node,RBAC',
      disabledAdmissionPlugins: ['ServiceAccount'],
    });
  });

  it.each(['0.0.0.0', '::'])('listens on every address if %s requests it, and warns', (host) => {
    const { server, warnings } = settings(`--bind-address=${host}`);
    expect(server.host).toBe(host);
    expect(warnings).toEqual([
      `--bind-address=${host} exposes the server to other machines; without this flag, the server listens on 127.0.0.1`,
    ]);
    expect(settings().warnings).toEqual([]);
  });

  it('stores a certificate with its CA in a folder that has none', () => {
    const certDir = join(folder, 'certificates');
    const { serving } = settings(`--cert-dir=${certDir}`).server;
    expect(serving?.certificate.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(readFileSync(join(certDir, 'apiserver.crt'), 'utf8')).toBe(serving?.certificate);
    expect(settings(`--cert-dir=${certDir}`).server.serving).toEqual(serving);
  });

  it.each([
    [['--insecure-port=0'], 'unknown flag: --insecure-port'],
    [['serve'], 'unexpected argument "serve"'],
    [['--secure-port'], 'flag needs an argument: --secure-port'],
    [['--secure-port=70000'], '--secure-port 70000 must be between 1 and 65535'],
    [['--etcd-servers='], '--etcd-servers must be specified'],
    [['--authorization-mode=ABAC'], '--authorization-mode ABAC is not supported; use RBAC, Node or AlwaysAllow'],
    [['--enable-admission-plugins=AlwaysPullImages'], 'the admission plugin AlwaysPullImages is not supported'],
    [['--enable-admission-plugins=RuntimeClass'], 'the admission plugin RuntimeClass is not supported'],
    [['--disable-admission-plugins=Nothing'], 'unknown admission plugin Nothing'],
    [['--service-cluster-ip-range=fd00::/108'], '--service-cluster-ip-range fd00::/108 is not an IPv4 range'],
    [['--client-ca-file=/nowhere'], 'kube-apiserver cannot read the file passed with --client-ca-file'],
  ])('rejects %j', (args, message) => {
    expect(() => settings(...args)).toThrow(message);
  });
});
