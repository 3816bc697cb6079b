import { describe, expect, it } from 'vitest';
import { npmrcFiles } from './npmrc-file.ts';

describe('npmrcFiles', () => {
  it('writes the registry that the project was created with', () => {
    const [file] = npmrcFiles({ npm_config_registry: 'http://127.0.0.1:4873/' });
    expect(file?.path).toBe('.npmrc');
    expect(file?.text).toMatch(/^# This project was created from this registry/);
    expect(file?.text).toMatch(/\nregistry=http:\/\/127\.0\.0\.1:4873\/\n$/);
  });

  it('omits a password', () => {
    const [file] = npmrcFiles({ npm_config_registry: 'https://user:secret@example.com/npm/' });
    expect(file?.text).toContain('\nregistry=https://example.com/npm/\n');
  });

  it.each([
    {},
    { npm_config_registry: 'https://registry.npmjs.org/' },
    { npm_config_registry: 'no address' },
    { npm_config_registry: 'file:///etc/passwd' },
    { npm_config_registry: ['https://example.com/$', '{HOME}'].join('') },
    { npm_config_registry: 'https://example.com/;x' },
  ])('writes nothing for %j', (env) => {
    expect(npmrcFiles(env)).toEqual([]);
  });
});
