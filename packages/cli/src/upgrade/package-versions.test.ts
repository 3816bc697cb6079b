import { describe, expect, it } from 'vitest';
import { outdatedPackages, withRanges } from './package-versions.ts';

const wanted = { '@kubewright/runtime': '0.3.0', vitest: '^4.1.0' };

describe('outdatedPackages', () => {
  it.each([
    ['0.2.9', '0.3.0'],
    ['^0.2.0', '^0.3.0'],
    ['~0.1', '~0.3.0'],
    ['0.3.0', undefined],
    ['1.0.0', undefined],
    ['file:../runtime.tgz', undefined],
    ['*', undefined],
  ])('updates %s to %s', (range, expected) => {
    const found = outdatedPackages({ dependencies: { '@kubewright/runtime': range, other: '0.0.1' } }, wanted);
    expect(found.map((each) => each.wanted)).toEqual(expected === undefined ? [] : [expected]);
  });
});

describe('withRanges', () => {
  it('changes only the ranges', () => {
    const text = '{ "name":"vitest",\n\t"devDependencies": {"vitest" : "^3.0.0", "vitest-x": "^3.0.0"} }\n';
    const found = outdatedPackages(JSON.parse(text), wanted);
    expect(withRanges(text, found)).toBe(text.replace('"vitest" : "^3.0.0"', '"vitest" : "^4.1.0"'));
  });
});
