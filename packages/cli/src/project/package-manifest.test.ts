import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readPackage } from './package-manifest.ts';

const root = mkdtempSync(join(tmpdir(), 'kw-package-'));
afterAll(() => rmSync(root, { recursive: true }));

function read(content: object) {
  writeFileSync(join(root, 'package.json'), JSON.stringify({ version: '1.0.0', ...content }));
  return readPackage(root);
}

describe('readPackage', () => {
  it.each([
    ['https://github.com/a/b', 'https://github.com/a/b'],
    [{ type: 'git', url: 'git+https://github.com/a/b.git' }, 'https://github.com/a/b'],
    ['github:a/b', 'https://github.com/a/b'],
    ['a/b', 'https://github.com/a/b'],
    ['git@github.com:a/b.git', undefined],
    [7, undefined],
  ])('reads the repository %j', (repository, expected) => {
    expect(read({ repository }).repository).toBe(expected);
  });

  it.each([
    [
      'Ann Lee <ann@example.com> (https://ann.example.com)',
      { name: 'Ann Lee', email: 'ann@example.com', url: 'https://ann.example.com' },
    ],
    ['Ann Lee', { name: 'Ann Lee' }],
    [
      { name: 'Ann', email: 'ann@example.com' },
      { name: 'Ann', email: 'ann@example.com' },
    ],
    ['', undefined],
    [[], undefined],
  ])('reads the author %j', (author, expected) => {
    expect(read({ author }).author).toEqual(expected);
  });

  it.each(['1.2.3', '0.1.0-rc.1'])('accepts the version %s', (version) => {
    expect(read({ version }).version).toBe(version);
  });

  it.each(['1.2', 'v1.2.3', '01.2.3', '', 3])('rejects the version %j', (version) => {
    expect(() => read({ version })).toThrow('invalid version');
  });

  it('reports whether this version has security updates', () => {
    const kubewright = { domain: 'example.com', securityUpdates: ['0.9.1', '1.0.0'] };
    expect(read({ kubewright }).hasSecurityUpdates).toBe(true);
    expect(read({ kubewright, version: '1.0.1' }).hasSecurityUpdates).toBe(false);
    expect(read({}).hasSecurityUpdates).toBe(false);
  });

  it.each([true, '1.0.0', ['next'], [1]])('rejects %j as the versions with security updates', (securityUpdates) => {
    expect(() => read({ kubewright: { securityUpdates } })).toThrow('of "securityUpdates"');
  });
});
