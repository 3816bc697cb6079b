import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandHelp, parseCommandLine, programHelp } from './command-line.ts';
import { commands } from './commands/index.ts';
import { psql } from './commands/psql.ts';
import { restore } from './commands/restore.ts';

describe('parseCommandLine', () => {
  it('passes the arguments after -- to the program that the command runs', () => {
    expect(parseCommandLine('psql', psql, ['shop', '-n', 'db', '--replica', '--', '-n', '-c', 'SELECT 1'])).toEqual({
      args: ['shop'],
      flags: { namespace: 'db', replica: true },
      rest: ['-n', '-c', 'SELECT 1'],
    });
  });

  it.each([
    [['shop'], 'missing argument NEW-CLUSTER'],
    [['shop', 'copy', 'more'], 'unexpected argument more'],
    [['shop', 'copy', '--tiem', 'now'], "Unknown option '--tiem'"],
  ])('rejects %j', (words, why) => {
    expect(() => parseCommandLine('restore', restore, words)).toThrow(
      `${why}; run kubectl kubewright pg restore --help`,
    );
  });

  it('accepts -h without the required arguments', () => {
    expect(parseCommandLine('restore', restore, ['-h']).flags).toMatchObject({ help: true });
  });
});

describe('help', () => {
  it('lists every command', () => {
    const lines = programHelp(commands).split('\n');
    for (const [name, { summary }] of Object.entries(commands)) {
      expect(lines.some((line) => line.trim().startsWith(name) && line.endsWith(summary))).toBe(true);
    }
  });

  it('lists the flags of a command, with short names', () => {
    expect(commandHelp('psql', psql)).toBe(`Usage: kubectl kubewright pg psql CLUSTER [flags]

Runs psql on the primary as the superuser. Arguments after -- are passed to psql.

      --replica          connect to a replica instead
  -n, --namespace NAME   namespace of the cluster
      --context NAME     kubeconfig context to use
      --kubeconfig FILE  path to the kubeconfig file
  -h, --help             print help
`);
  });
});

describe.each(['postgres-tutorial.md', 'examples/postgres-cluster.md'])('docs/%s', (page) => {
  const text = readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');
  const code = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block).join('\n');
  const lines = [...code.matchAll(/kubectl kubewright pg (\S+)([^\n|>]*)/g)];

  it.each(lines.map(([line, name, rest]) => [line, name, rest] as const))('%s', (_, name = '', rest = '') => {
    const command = commands[name];
    expect(command).toBeDefined();
    const words = rest
      .replace(/"[^"]*"/g, 'text')
      .trim()
      .split(/\s+/);
    if (command) expect(() => parseCommandLine(name, command, words)).not.toThrow();
  });
});
