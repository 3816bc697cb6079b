import { describe, expect, it } from 'vitest';
import { imageReference, imageToLoad } from './image.ts';

describe('imageReference', () => {
  it.each(['shop', 'shop:0.1', 'registry.example.com:5000/team/shop:0.1', `shop@sha256:${'f'.repeat(64)}`])(
    'accepts %s',
    (text) => expect(imageReference(text)).toBe(text),
  );

  it('rejects what a container runtime rejects, with its reason', () => {
    expect(() => imageReference('Bad:Image:x')).toThrow(
      'It is not a valid image: invalid reference format: repository name (library/Bad) must be lowercase.',
    );
    expect(() => imageReference('')).toThrow('It is not a valid image: invalid reference format.');
  });
});

describe('imageToLoad', () => {
  it('rejects a digest, which is not known before the image is built', () => {
    expect(imageToLoad('shop:0.1')).toBe('shop:0.1');
    expect(() => imageToLoad(`shop@sha256:${'f'.repeat(64)}`)).toThrow(
      'It must not have a digest, because the image is built by this command.',
    );
    expect(() => imageToLoad('Bad:Image:x')).toThrow('must be lowercase');
  });
});
