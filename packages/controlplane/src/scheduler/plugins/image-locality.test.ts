import { describe, expect, it } from 'vitest';
import { testNode, testPending } from '../testdata/test-view.ts';
import { scores } from '../testdata/verdicts.ts';
import { imageLocality } from './image-locality.ts';

const mebibyte = 1024 * 1024;
const withImage = (node: string, name: string, size: number) =>
  testNode(node, { images: [{ names: [name], sizeBytes: size * mebibyte }] });
const pod = (image: string) => testPending('p', { spec: { containers: [{ name: 'c', image }] } });

describe('ImageLocality', () => {
  it.each<[string, string, Record<string, number>]>([
    ['gives half the score for an image that only one of two nodes has', 'app:1', { has: 38, not: 0 }],
    ['gives no score for another tag of the image', 'app:2', { has: 0, not: 0 }],
    ['uses the tag latest for an image without a tag', 'app', { has: 0, not: 0 }],
  ])('%s', (_name, image, expected) => {
    const nodes = [withImage('has', 'app:1', 800), testNode('not')];
    expect(scores(imageLocality, pod(image), { nodes })).toEqual(expected);
  });

  it('adds the default tag to an image of a registry with a port', () => {
    const nodes = [withImage('has', 'registry:5000/app:latest', 1_000)];
    expect(scores(imageLocality, pod('registry:5000/app'), { nodes })).toEqual({ has: 100 });
  });
});
