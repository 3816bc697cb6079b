import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterProcess, StateDirectory, StateDirectoryError } from './state-directory.ts';

describe('StateDirectory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-state-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is readable only by the user and ignored by git', () => {
    using directory = StateDirectory.take(join(folder, 'a folder', '.kubewright'));
    directory.writeNote('note.json', { port: 1 });
    expect(statSync(directory.path).mode & 0o777).toBe(0o700);
    expect(statSync(directory.file('note.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(directory.file('.gitignore'), 'utf8')).toBe('*\n');
    expect(directory.readNote('note.json')).toEqual({ port: 1 });
  });

  it('rejects a second holder and reports the pid of the first', () => {
    expect(clusterProcess(folder)).toBeUndefined();
    using _first = StateDirectory.take(folder);
    expect(clusterProcess(folder)).toBe(process.pid);
    expect(() => StateDirectory.take(folder)).toThrow(StateDirectoryError);
    expect(() => StateDirectory.take(folder)).toThrow(`(pid ${process.pid})`);
  });

  it('is removed on dispose if it is temporary', () => {
    const directory = StateDirectory.temporary();
    expect(statSync(directory.path).mode & 0o777).toBe(0o700);
    directory[Symbol.dispose]();
    expect(existsSync(directory.path)).toBe(false);
  });

  it('can be taken again once released', () => {
    StateDirectory.take(folder)[Symbol.dispose]();
    using again = StateDirectory.take(folder);
    expect(again.abandonedBy).toBeUndefined();
  });

  it('is taken over from a killed holder', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    writeFileSync(join(folder, 'instance.json'), JSON.stringify({ pid, started: 'long ago' }));
    using directory = StateDirectory.take(folder);
    expect(directory.abandonedBy?.pid).toBe(pid);
  });

  it('is taken over if the pid now belongs to another process', () => {
    writeFileSync(join(folder, 'instance.json'), JSON.stringify({ pid: process.pid, started: 'another time' }));
    using directory = StateDirectory.take(folder);
    expect(directory.abandonedBy?.pid).toBe(process.pid);
  });

  it('reports that a path is too long', () => {
    expect(() => StateDirectory.take(join(folder, 'a'.repeat(300)))).toThrow(
      /^cannot use the cluster's state folder .*: ENAMETOOLONG: .* its longest file name 300; .*; use another folder with a shorter path/,
    );
  });

  it('reports the problem, the reason and the remedy if the folder cannot be created', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => StateDirectory.take(join(folder, 'file', '.kubewright'))).toThrow(
      /^cannot use the cluster's state folder .*: .*ENOTDIR.*; replace the file in the path .* with a folder, or use another folder/,
    );
  });
});
