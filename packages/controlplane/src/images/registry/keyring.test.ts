import { describe, expect, it } from 'vitest';
import type { Credential } from './credential.ts';
import { Keyring } from './keyring.ts';

const credential = (username: string): Credential => ({ type: 'password', username, password: 'x' });
const find = (keys: readonly string[], repository: string): readonly string[] =>
  new Keyring(keys.map((key) => [key, credential(key)] as const))
    .find(repository)
    .map((found) => (found.type === 'password' ? found.username : ''));

describe('Keyring', () => {
  it.each([
    ['registry.example', 'registry.example/team/app', true],
    ['https://registry.example/v2/', 'registry.example/team/app', true],
    ['registry.example:5000', 'registry.example:5000/app', true],
    ['registry.example', 'registry.example:5000/app', false],
    ['registry.example:5000', 'registry.example/app', false],
    ['registry.example/team', 'registry.example/team/app', true],
    ['registry.example/team', 'registry.example/other/app', false],
    ['*.example', 'registry.example/app', true],
    ['*.example', 'a.registry.example/app', false],
    ['*.*.example', 'a.registry.example/app', true],
    ['re*st?y.example', 'registry.example/app', true],
    ['re*z.example', 'registry.example/app', false],
    ['127.0.0.1:5000', '127.0.0.1:5000/app', true],
    ['https://index.docker.io/v1/', 'docker.io/library/busybox', true],
    ['docker.io', 'docker.io/library/busybox', true],
    ['https://index.docker.io/v1/', 'registry.example/app', false],
  ])('%s applies to %s: %s', (key, repository, expected) => {
    expect(find([key], repository)).toEqual(expected ? [key] : []);
  });

  it('puts the most specific key first', () => {
    const keys = ['registry.example', 'registry.example/team/app', 'registry.example/team'];
    expect(find(keys, 'registry.example/team/app')).toEqual([keys[1], keys[2], keys[0]]);
  });
});
