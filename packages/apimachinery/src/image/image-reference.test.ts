import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ImageReference, ImageReferenceError, parseImageReference } from './image-reference.ts';

/** Results of distribution/reference 0.6.0, recorded by testdata/record.go. */
const recorded = JSON.parse(readFileSync(new URL('./testdata/recorded.json', import.meta.url), 'utf8')) as readonly ({
  readonly input: string;
  readonly error?: string;
} & Partial<ImageReference>)[];

describe('parseImageReference', () => {
  it.each(recorded)('parses $input as distribution/reference does', ({ input, error, ...expected }) => {
    if (error === undefined) expect(parseImageReference(input)).toEqual(expected);
    else expect(() => parseImageReference(input)).toThrow(new ImageReferenceError({ what: error }));
  });

  it('rejects long near-matches quickly', () => {
    const started = performance.now();
    for (const text of [`${'a-'.repeat(20_000)}!`, `${'a.'.repeat(20_000)}/x!`, `${'a/'.repeat(20_000)}!`]) {
      expect(() => parseImageReference(text)).toThrow(ImageReferenceError);
    }
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
