import { spawnSync } from 'node:child_process';
import { accessSync, constants, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
}

const read = (path: string): Manifest => JSON.parse(readFileSync(join(repository, path), 'utf8')) as Manifest;
const programs = ['cli', 'create-kubewright'].flatMap((name) =>
  Object.entries(read(`packages/${name}/package.json`).bin ?? {}).map(([command, path]) => ({ name, command, path })),
);
const folder = mkdtempSync(join(tmpdir(), 'kw-bin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('programs that npm links', () => {
  it.each(programs)('$command is a committed file, as npm ci requires in a clone', ({ name, path }) => {
    expect(path).toMatch(/^\.\/bin\//);
    accessSync(join(repository, 'packages', name, path), constants.X_OK);
  });

  it('are in the lock file, which npm ci uses for links', () => {
    const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, Manifest>>;
    };
    for (const { name, command, path } of programs) {
      expect(lock.packages[`packages/${name}`]?.bin?.[command]).toBe(path.slice('./'.length));
    }
  });

  it.each(['cli', 'create-kubewright'])('explain what to do if %s is not built', (name) => {
    cpSync(join(repository, 'packages', name, 'bin'), join(folder, name, 'bin'), { recursive: true });
    cpSync(join(repository, 'packages', name, 'package.json'), join(folder, name, 'package.json'));
    const { status, stderr } = spawnSync(process.execPath, [join(folder, name, 'bin/main.js')], { encoding: 'utf8' });
    expect(status).toBe(3);
    expect(stderr).toMatch(/^(create-)?kubewright cannot start\n {2}why: the package is incomplete\n {2}fix: run npm /);
  });
});
