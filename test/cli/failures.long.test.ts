import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { CommandLine, type RunOptions } from './command-line.ts';

vi.setConfig({ testTimeout: 90_000 });

let kubewright: CommandLine;
let home: string;
/** The cluster that runs in `home`. */
let server: { readonly url: string; readonly kubeconfig: string };
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  home = join(kubewright.folder, 'home');
  mkdirSync(home);
  const { stdout } = await kubewright.run(['cluster', 'up', '--background', '--json'], { cwd: home });
  server = JSON.parse(stdout).cluster;
}, 120_000);
afterAll(async () => {
  await kubewright?.run(['cluster', 'down'], { cwd: home });
  kubewright?.[Symbol.dispose]();
});

/** Writes a kubeconfig that logs in to the cluster with a token or an exec plugin. */
function kubeconfigWith(name: string, user: object): string {
  const path = join(kubewright.folder, `${name}.kubeconfig`);
  const config = {
    'current-context': 'it',
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    clusters: [{ name: 'it', cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'it', user }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

async function tokenOf(name: string): Promise<string> {
  await using client = clientFromConfig(await loadClientConfig({ kubeconfig: server.kubeconfig }));
  const accounts = client.resource(ServiceAccount);
  await accounts.create(ServiceAccount({ metadata: { name, namespace: 'default' } }));
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = await accounts
    .subresource('token')
    .create<{ status: { token: string } }>({ namespace: 'default', name }, body);
  return answer.status.token;
}

/** The expected output of a command; each line matches exactly or by pattern. */
interface Golden {
  readonly args: readonly string[];
  readonly options?: RunOptions;
  readonly exitCode: 1 | 2 | 3;
  readonly code: string;
  readonly what: RegExp;
  readonly why: RegExp;
  readonly remedy: RegExp;
}

/**
 * Checks that a command reports the failure in three lines and as one JSON record, and that `explain` knows the error
 * code.
 */
async function check({ args, options, exitCode, code, what, why, remedy }: Golden): Promise<void> {
  const ended = await kubewright.run(args, options);
  const [, seenCode, seenWhat, seenWhy, seenDo] =
    /^(KW\d{4}) (.*)\n {2}why: ((?:.|\n {4})*)\n {2}fix: ((?:.|\n {4})*)\n$/.exec(ended.stderr) ?? [];
  expect({
    exit: ended.code,
    code: seenCode,
    stdout: ended.stdout,
    ...(seenCode === undefined && { all: ended.stderr }),
  }).toEqual({
    exit: exitCode,
    code,
    stdout: '',
  });
  expect(seenWhat).toMatch(what);
  expect(seenWhy).toMatch(why);
  expect(seenDo).toMatch(remedy);
  const json = await kubewright.run([...args, '--json'], options);
  expect({ exit: json.code, stderr: json.stderr }).toEqual({ exit: exitCode, stderr: '' });
  const { error } = JSON.parse(json.stdout.trim().split('\n').at(-1) ?? '');
  expect(error).toMatchObject({
    code,
    what: expect.stringMatching(what),
    why: expect.stringMatching(why),
    remedy: expect.stringMatching(remedy),
  });
  const explained = await kubewright.run(['explain', code]);
  expect(explained).toMatchObject({ code: 0, stderr: '' });
  expect(explained.stdout).toMatch(new RegExp(`^${code} {2}\\S.*\n`));
}

describe('a failure message states the error, the cause and the remedy', () => {
  it('in a folder that is not a project', () =>
    check({
      args: ['generate'],
      exitCode: 1,
      code: 'KW7101',
      what: /is not in a Kubewright project$/,
      why: /^no package\.json with a "kubewright" field exists in this folder or its parents$/,
      remedy: /kubewright init my-operator --domain example\.com$/,
    }));

  it('for a port in use, with the name of the program', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { readonly port: number };
    try {
      const owner = process.platform === 'linux' ? new RegExp(`: pid ${process.pid}, .*node`) : /using that port/;
      await check({
        args: ['cluster', 'up', '--port', String(port)],
        exitCode: 3,
        code: 'KW5101',
        what: new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}$`),
        why: owner,
        remedy: /use another port/,
      });
    } finally {
      other.close();
    }
  });

  it('without a kubeconfig', () =>
    check({
      args: ['import', 'crd', 'sites.example.com', '--kubeconfig', 'nowhere'],
      exitCode: 3,
      code: 'KW2201',
      what: /^cannot read kubeconfig nowhere$/,
      why: /^file not found$/,
      remedy: /kubewright cluster up$/,
    }));

  it('with credentials that have expired', async () => {
    const expired = kubeconfigWith('expired', { token: 'eyJhbGciOiJub25lIn0.e30.' });
    await check({
      args: ['import', 'crd', 'sites.example.com', '--kubeconfig', expired],
      exitCode: 3,
      code: 'KW7303',
      what: /^authentication failed$/,
      why: /Unauthorized/,
      remedy: /log in again/,
    });
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'false', interactiveMode: 'Never' };
    await check({
      args: ['import', 'crd', 'sites.example.com', '--kubeconfig', kubeconfigWith('exec', { exec })],
      exitCode: 3,
      code: 'KW2203',
      what: /^credential plugin "false" failed$/,
      why: /^it exited with code 1/,
      remedy: /log in again/,
    });
  });

  it('for an unauthorized account, with the missing rule', async () => {
    const kubeconfig = kubeconfigWith('account', { token: await tokenOf('nobody') });
    await check({
      args: ['import', 'crd', 'sites.example.com', '--kubeconfig', kubeconfig],
      exitCode: 1,
      code: 'KW7304',
      what: /^permission denied$/,
      why: /cannot get resource "customresourcedefinitions"/,
      remedy:
        /^grant system:serviceaccount:default:nobody this rule:\n\s*- apiGroups: \["apiextensions\.k8s\.io"\]\n\s*resources: \["customresourcedefinitions"\]\n\s*verbs: \["get"\]$/,
    });
  });

  it('for a cluster on another machine', async () => {
    const path = join(kubewright.folder, 'far.kubeconfig');
    const cluster = { server: 'https://cluster.example.com' };
    writeFileSync(
      path,
      JSON.stringify({
        contexts: [{ name: 'prod', context: { cluster: 'prod', user: 'it' } }],
        clusters: [{ name: 'prod', cluster }],
        users: [{ name: 'it', user: { token: 'x' } }],
      }),
    );
    await kubewright.run(['init', 'far', '--yes']);
    await check({
      args: ['dev', '--context', 'prod'],
      options: { cwd: join(kubewright.folder, 'far'), env: { KUBECONFIG: path } },
      exitCode: 1,
      code: 'KW7308',
      what: /^cannot develop in context prod$/,
      why: /https:\/\/cluster\.example\.com is not local/,
      remedy: /kubewright dev --context prod --allow-context prod$/,
    });
  });

  it('for a kind that is not installed', async () => {
    await kubewright.run(['init', 'near', '--yes']);
    const root = join(kubewright.folder, 'near');
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, 'odd.yaml'), 'apiVersion: odd.example.org/v1\nkind: Odd\nmetadata:\n  name: a\n');
    await check({
      args: ['render', 'odd.yaml'],
      options: { cwd: root },
      exitCode: 1,
      code: 'KW7305',
      what: /^the API server does not serve Odd of odd\.example\.org\/v1$/,
      why: /CRD is not installed/,
      remedy: /kubewright install$/,
    });
  });

  it('for a hot loop in the log, through explain', async () => {
    const { stdout } = await kubewright.run(['explain', 'KW3050']);
    expect(stdout).toMatch(/^KW3050 {2}Hot loop: a reconcile triggers itself/);
  });
});
