import { describe, expect, it } from 'vitest';
import { imageNameOf } from './image-name.ts';

describe('imageNameOf', () => {
  it.each([
    ['postgres', 'postgres', 'latest', false],
    ['postgres:17.2-bookworm', 'postgres', '17.2-bookworm', true],
    ['library/postgres', 'postgres', 'latest', false],
    ['docker.io/library/postgres:17', 'postgres', '17', true],
    ['localhost/app', 'app', 'latest', false],
    ['localhost:5000/team/app:1', 'team/app', '1', true],
    ['registry:5000/app', 'app', 'latest', false],
    ['registry.example.com/team/app', 'team/app', 'latest', false],
    ['bitnami/postgres:17', 'bitnami/postgres', '17', true],
    [`app:1@sha256:${'a'.repeat(64)}`, 'app', '1', true],
    [`app@sha256:${'a'.repeat(64)}`, 'app', 'latest', true],
  ])('parses %s', (image, repository, tag, isTagged) => {
    expect(imageNameOf(image)).toEqual({ repository, tag, isTagged });
  });

  it('rejects an invalid image reference', () => {
    expect(() => imageNameOf('Bad:Image:x')).toThrow(
      'invalid reference format: repository name (library/Bad) must be lowercase',
    );
  });
});
