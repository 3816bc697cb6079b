import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { archiveCommand, restoreCommand } from './wal-commands.ts';

describe('archiveCommand', () => {
  it('quotes the paths for the shell', () => {
    const text = archiveCommand({ command: ['printf', '%s\\n'], locationFile: "/with space/it's 100%/archive.json" });
    // Expands the placeholders as PostgreSQL does.
    const command = text
      .replace('%f', '00000002.history')
      .replace('%p', 'pg_wal/00000002.history')
      .replaceAll('%%', '%');
    expect(spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout.split('\n')).toEqual([
      'wal-archive',
      "/with space/it's 100%/archive.json",
      '00000002.history',
      'pg_wal/00000002.history',
      '',
    ]);
  });
});

describe('restoreCommand', () => {
  it('passes the purpose to the program, and translates exit codes only for a recovery', () => {
    const program = { command: ['/node', '/app.mjs'], locationFile: '/archive.json' };
    expect(restoreCommand(program, 'recovery')).toMatch(
      /^'\/node' '\/app.mjs' 'wal-restore' 'recovery' '\/archive.json' %f %p; case /,
    );
    expect(restoreCommand(program, 'standby')).toBe("'/node' '/app.mjs' 'wal-restore' 'standby' '/archive.json' %f %p");
  });

  it.each([
    ['continues after a restored file', 'exit 0', 0],
    ['ends recovery at a missing file', 'exit 3', 1],
    ['stops recovery if the program throws', 'exit 1', 126],
    ['stops recovery if the program exits early', 'exit 13', 126],
    ['stops recovery if the program cannot be executed', 'exit 126', 126],
    ['stops recovery if the program is killed', 'kill -9 $$', 126],
  ])('%s', (_, script, code) => {
    const text = restoreCommand({ command: ['sh', '-c', script], locationFile: '/archive.json' }, 'recovery');
    expect(spawnSync('sh', ['-c', text]).status).toBe(code);
  });
});
