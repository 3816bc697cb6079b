import { describe, expect, it } from 'vitest';
import { parseImageName } from './image-name.ts';

describe('parseImageName', () => {
  it.each([
    ['postgres', 'postgres', 'latest'],
    ['postgres:17.2-bookworm', 'postgres', '17.2-bookworm'],
    ['library/postgres', 'postgres', 'latest'],
    ['docker.io/library/postgres:17', 'postgres', '17'],
    ['localhost/app', 'app', 'latest'],
    ['localhost:5000/team/app:1', 'team/app', '1'],
    ['registry:5000/app', 'app', 'latest'],
    ['registry.example.com/team/app', 'team/app', 'latest'],
    ['bitnami/postgres:17', 'bitnami/postgres', '17'],
    [`app:1@sha256:${'a'.repeat(64)}`, 'app', '1'],
  ])('reads %s', (image, repository, tag) => {
    expect(parseImageName(image)).toEqual({ repository, tag });
  });

  it.each(['', '/bin/sleep', 'Not An Image', 'App', 'a//b', 'a:', 'a@sha256:1', `${'a'.repeat(300)}`])(
    'refuses %j',
    (image) => {
      expect(parseImageName(image)).toBeUndefined();
    },
  );

  it('refuses quickly what only looks like a name', () => {
    const started = performance.now();
    expect(parseImageName(`${'a-'.repeat(120)}!`)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(200);
  });
});
