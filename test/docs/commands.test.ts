import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../packages/cli/src/run-cli.ts';
import { commandsOf } from '../../scripts/docs/commands.mjs';
import { repository } from '../main-job/repository.ts';
import { codeIn, docsPages, type Page, page, tableRows } from './pages.ts';
import { scaffolded } from './scaffold.ts';

/** Commands of other tools. */
const theirs = [
  'kubebuilder init --domain',
  'kubebuilder create api --group database --version v1 --kind Postgresql',
  'kubebuilder create webhook',
  'operator-sdk init --domain acme.io',
  'operator-sdk create api --group cache --version v1alpha1 --kind Redis --resource --controller',
  'operator-sdk generate bundle',
  'operator-sdk bundle validate',
  'apiserver-builder',
  'minikube start',
  'go run main.go',
  ...['generate', 'manifests', 'install', 'run', 'install run', 'docker-build docker-push', 'deploy'].map(
    (target) => `make ${target}`,
  ),
  ...['uninstall', 'undeploy', 'build-installer', 'test', 'bundle'].map((target) => `make ${target}`),
];

type Commands = Awaited<ReturnType<typeof commandsOf>>;
let commands: Commands;
beforeAll(async () => {
  commands = await commandsOf(runCli);
});

const packages = readdirSync(`${repository}/packages`).map((name) => page(`packages/${name}/README.md`));
const pages = [...docsPages(), ...packages, page('README.md'), page('examples/postgresql/README.md')];

describe('commands in the documentation', () => {
  it.each(pages.map((each) => [each.path, each] as const))('%s names existing commands and flags', (_, each) => {
    const wrong = commandLines(each).flatMap((line) => faultsOf(line, commands));
    expect(wrong).toEqual([]);
  });

  it.each(pages.map((each) => [each.path, each] as const))('%s names existing npm scripts', (_, each) => {
    const { scripts } = JSON.parse(scaffolded('package.json')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const own = [
      'start',
      'tutorial',
      'test',
      'build',
      'check',
      'typecheck',
      'format',
      'proof',
      'conformance',
      'docs',
      'registry',
    ];
    const named = codeOf(each).flatMap((code) => [...code.matchAll(/npm run (?:-\S+ )*([a-z][\w:-]*)/g)]);
    const known = [...Object.keys(scripts), ...own];
    expect(named.map(([, name = '']) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('has a row for each command of other tools, with the equivalent or the reason for leaving it out', () => {
    const rows = tableRows(page('docs/reference/commands.md'));
    for (const command of theirs) {
      const row = rows.find(([there = '']) => codeIn(there).some((code) => code.startsWith(command)));
      expect(row, command).toBeDefined();
      expect(row?.[1], command).toMatch(/`|left out: |not yet/);
    }
  });

  it('mentions every command', () => {
    const named = pages.flatMap(commandLines).join('\n');
    const ends = commands.filter((command) => command.commands.length === 0 && command.words.length > 0);
    const silent = ends.map(({ words }) => words.join(' ')).filter((words) => !named.includes(`kubewright ${words}`));
    expect(silent.filter((words) => !['cluster down', 'cluster delete'].includes(words))).toEqual([]);
  });
});

/** Returns the code of a page: command blocks and inline code. */
function codeOf({ text, blocks }: Page): readonly string[] {
  const inBlocks = blocks.filter(({ language }) => ['sh', '', 'bash'].includes(language)).map((block) => block.text);
  const prose = text.replace(/^(`{3,}).*?^\1/gms, '');
  return [...inBlocks, ...codeIn(prose)];
}

function commandLines(each: Page): readonly string[] {
  const starts = /(?:^|[\s(&|;])(?:npx )?(?:kubectl )?(kubewright (?!is\b|in\b)[a-z][^\n#`"')&|;]*)/g;
  const lines = codeOf(each).flatMap((code) => [...code.matchAll(starts)].map(([, line = '']) => line.trim()));
  // Skips the plugin of the postgres-cluster example, because the example's tests check the plugin's commands.
  return lines.filter((line) => !/^kubewright pg\b/.test(line));
}

/** Returns the commands and flags in a line that the program does not know. */
function faultsOf(line: string, known: Commands): readonly string[] {
  const [program, ...all] = line.split(' -- ')[0]?.split(/\s+/) ?? [];
  let command = known[0];
  let words = all;
  for (;;) {
    const below = known.find((each) => each.words.join(' ') === [...(command?.words ?? []), words[0]].join(' '));
    if (!below) break;
    command = below;
    words = words.slice(1);
  }
  if (!command || command.words.length === 0) return [`${line}: ${program} has no such command`];
  const flags = words.filter((word) => word.startsWith('-')).map((word) => word.replace(/[=,.].*$/, ''));
  const terms = [...command.options, ...(known[0]?.options ?? [])].flatMap(({ term }) => term.split(/[ ,]+/));
  const unknown = flags.filter((flag) => !terms.includes(flag)).map((flag) => `${line}: there is no ${flag}`);
  const isGroup = command.commands.length > 0 && words[0] !== undefined && /^[a-z]+$/.test(words[0]);
  return isGroup ? [...unknown, `${line}: ${command.words.join(' ')} has no ${words[0]}`] : unknown;
}
