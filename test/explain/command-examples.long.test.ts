import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandExamples } from '../../packages/cli/src/explain/examples/command-examples.ts';
import { type CliProject, cliProject } from '../cli/cli-project.ts';
import { CommandLine, type Ended } from '../cli/command-line.ts';
import { build } from '../main-job/repository.ts';

// Each command is a process, and some load a compiler.
vi.setConfig({ testTimeout: 120_000 });

let kubewright: CommandLine;
let shop: CliProject;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  shop = await cliProject(kubewright, 'shop');
  expect(await shop.run('generate')).toMatchObject({ code: 0 });
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

const api = 'src/api/v1/shop.ts';
const write = (path: string, text: string): void => writeFileSync(join(shop.root, path), text);

/** Writes a kubeconfig with one cluster and one user. */
function kubeconfig(server: string, user: object): void {
  const content = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user }],
  };
  write('cluster.yaml', JSON.stringify(content));
}

/** Releases the kinds, then changes their source. */
async function released(change: (text: string) => string): Promise<void> {
  expect(await shop.run('build', '--release')).toMatchObject({ code: 0 });
  shop.edit(api, change);
}

/** Prepares the situations that the comments of the examples describe. */
const setups: Readonly<Record<string, () => void | Promise<void>>> = {
  KW2202: () => kubeconfig('my cluster', {}),
  KW2203: () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'cloud-login', interactiveMode: 'Never' };
    kubeconfig('https://127.0.0.1:9', { exec });
  },
  KW5502: async () => {
    expect(await shop.run('cluster', 'up', '--background')).toMatchObject({ code: 0 });
  },
  KW6601: () => write('deployment.yaml', 'apiVersion: apps/v1\nkind: Deployment\n'),
  KW7104: () => {
    mkdirSync(join(shop.root, 'website'));
    write('website/package.json', '{ "name": "website" }');
  },
  KW7301: () => kubeconfig('https://127.0.0.1:9', {}),
  KW7305: () =>
    write('shop.yaml', 'apiVersion: shop.example.com/v2\nkind: Shop\nmetadata:\n  name: one\nspec:\n  message: hi\n'),
  KW7401: () =>
    shop.edit(api, (text) => text.replace('readonly message', 'readonly size: number;\n  readonly message')),
  KW7402: () => shop.edit(api, (text) => text.replace('@maxLength 1024', '@maxLength 2000')),
  KW7403: () => released((text) => text.replace('@maxLength 1024', '@maxLength 5')),
  KW7404: () => released((text) => text.replace('readonly message', 'readonly more?: string;\n  readonly message')),
  KW7501: () => write('src/main.ts', "import { runOperater } from './missing.ts';\nrunOperater();\n"),
  KW7502: () => write('src/main.ts', "throw new Error('SHOP_URL is not set');\n"),
  KW7504: () =>
    shop.edit('config/default/kustomization.yaml', (text) =>
      `# mine\n${text}configMapGenerator: []\n`.replace(/^# mine\n# Gen.*\n/, ''),
    ),
};

/** Undoes setups that change more than files. */
const cleanups: Readonly<Record<string, () => Promise<unknown>>> = {
  KW5502: () => shop.run('cluster', 'down'),
};

/** The files that a setup may change. */
const files = [api, 'src/main.ts', 'config/default/kustomization.yaml'];

/** Runs the kubewright commands in an example; returns the result of the last command. */
async function type(lines: string, cwd: string): Promise<Ended> {
  let ended: Ended | undefined;
  for (const line of lines.split('\n')) {
    const [, variables = '', args = ''] = /^((?:[A-Z]+=\S+ )*)kubewright(?: (.*))?$/.exec(line) ?? [];
    if (!/\bkubewright\b/.test(line) || line.startsWith('#')) continue;
    const env = Object.fromEntries(
      variables
        .split(' ')
        .filter(Boolean)
        .map((each) => each.split('=') as [string, string]),
    );
    ended = await kubewright.run(args.split(' ').filter(Boolean), { cwd, env });
  }
  if (!ended) throw new Error(`there is no command in ${lines}`);
  return ended;
}

describe('kubewright explain, commands', () => {
  it.each(commandExamples)('$code: the mistake reports the code', async ({ code, mistake }) => {
    const before = files.map((path) => shop.read(path));
    try {
      await setups[code]?.();
      const { stderr } = await type(mistake, code === 'KW7101' ? kubewright.folder : shop.root);
      expect(stderr).toContain(`${code} `);
      expect(stderr.trimEnd()).toMatch(new RegExp(`(^|\\n)${code} .*\\n {2}why: [\\s\\S]*\\n {2}fix: [\\s\\S]*$`));
    } finally {
      await cleanups[code]?.();
      for (const [index, path] of files.entries()) write(path, before[index] ?? '');
      rmSync(join(shop.root, 'config/crd/released'), { recursive: true, force: true });
    }
  });

  it.each(['KW7001', 'KW7003', 'KW7011', 'KW7103', 'KW7105'])('%s: the fix succeeds', async (code) => {
    const { fix } = commandExamples.find((each) => each.code === code) ?? { fix: '' };
    expect(await type(fix, shop.root)).toMatchObject({ code: 0, stderr: '' });
    rmSync(join(shop.root, 'my-operator'), { recursive: true, force: true });
  });
});
