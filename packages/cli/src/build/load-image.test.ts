import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadImage } from './load-image.ts';

describe('loadImage', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kw-load-'));
    mkdirSync(join(root, 'dist'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const build = (text: string): void => writeFileSync(join(root, 'dist', 'main.mjs'), text);
  const mapFile = (): string => join(root, 'kubewright-images.json');
  const images = (): Record<string, { folder: string; command: string[] }> =>
    JSON.parse(readFileSync(mapFile(), 'utf8'));
  const programOf = (image: string): string => readFileSync(join(root, images()[image]?.command.at(-1) ?? ''), 'utf8');

  it('keeps the program that each tag was loaded with', () => {
    build('one');
    loadImage(root, 'shop:0.1');
    build('two');
    loadImage(root, 'shop:0.2');
    expect(Object.keys(images())).toEqual(['shop:0.1', 'shop:0.2']);
    expect([programOf('shop:0.1'), programOf('shop:0.2')]).toEqual(['one', 'two']);
    expect(images()['shop:0.1']).toMatchObject({ like: 'node', folder: expect.stringMatching(/^\.\/dist\/images\//) });
  });

  it('replaces a tag that is loaded again under another spelling and removes unreferenced copies', () => {
    build('one');
    loadImage(root, 'docker.io/library/shop:0.1');
    build('two');
    loadImage(root, 'shop:0.1');
    expect(Object.keys(images())).toEqual(['shop:0.1']);
    expect(programOf('shop:0.1')).toBe('two');
    expect(readdirSync(join(root, 'dist', 'images'))).toHaveLength(1);
  });

  it('loads an image without a tag as latest and drops the old entry that applied to every tag', () => {
    build('one');
    const before = { like: 'node', folder: './dist', command: ['node', '--enable-source-maps', './dist/main.mjs'] };
    const others = { 'team/app': { command: ['./app'] }, 'Not An Image': {} };
    writeFileSync(mapFile(), JSON.stringify({ shop: before, ...others }));
    loadImage(root, 'shop');
    expect(Object.keys(images())).toEqual(['team/app', 'Not An Image', 'shop:latest']);
  });

  it.each(['{', '[]'])('rejects %s as an image map', (text) => {
    build('one');
    writeFileSync(mapFile(), text);
    expect(() => loadImage(root, 'shop:1')).toThrow(
      /kubewright-images\.json is not a valid image map: .*; fix the file/,
    );
    expect(readFileSync(mapFile(), 'utf8')).toBe(text);
  });
});
