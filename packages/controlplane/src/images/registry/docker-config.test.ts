import { describe, expect, it } from 'vitest';
import { parseDockerConfig, parseDockercfg, readDockerConfig } from './docker-config.ts';
import { RegistryError } from './registry-error.ts';

const parse = (config: object) => parseDockerConfig(JSON.stringify(config), 'the file');

describe('parseDockerConfig', () => {
  it('reads every form of credentials', () => {
    const { credentials } = parse({
      auths: {
        encoded: { auth: btoa('ada:a:b\0\0') },
        plain: { username: 'ada', password: 'a' },
        refresh: { auth: btoa('ada:'), identitytoken: 'i' },
        token: { registrytoken: 't' },
        empty: {},
      },
    });
    expect(Object.fromEntries(credentials)).toEqual({
      encoded: { type: 'password', username: 'ada', password: 'a:b' },
      plain: { type: 'password', username: 'ada', password: 'a' },
      refresh: { type: 'identityToken', token: 'i' },
      token: { type: 'registryToken', token: 't' },
    });
  });

  it('names the helper that keeps the credentials of a registry', () => {
    const { helperOf } = parse({
      credsStore: 'desktop',
      credHelpers: { 'gcr.io': 'gcloud', 'docker.io': 'hub' },
    });
    const found = [helperOf('quay.io'), helperOf('gcr.io'), helperOf('https://index.docker.io/v1/', 'docker.io')];
    expect(found).toEqual(['desktop', 'gcloud', 'hub']);
    expect(parse({ credHelpers: { 'gcr.io': 'gcloud' } }).helperOf('quay.io')).toBeUndefined();
  });

  it.each([
    ['secret', 'the content is not valid JSON'],
    ['3', 'the content is not a JSON object'],
    ['{"auths":[]}', 'the field auths is not an object'],
    ['{"auths":{"x":"secret"}}', 'the entry for x is not an object'],
    ['{"auths":{"x":{"auth":"c2VjcmV0"}}}', 'the field auth for x is not the base64 of USERNAME:PASSWORD'],
  ])('rejects %s without quoting it', (text, why) => {
    expect(() => parseDockerConfig(text, 'the file')).toThrow(
      new RegistryError({ what: 'cannot read the registry credentials in the file', why }),
    );
  });

  it('reads the legacy format', () => {
    const { credentials } = parseDockercfg('{"x":{"username":"ada","password":"a"}}', 'the file');
    expect([...credentials.keys()]).toEqual(['x']);
  });

  it('works without a configuration file', () => {
    expect(readDockerConfig({ DOCKER_CONFIG: '/nowhere' }).credentials.size).toBe(0);
  });
});
