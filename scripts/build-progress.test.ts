import { describe, expect, it } from 'vitest';
import { BuildProgress } from './build-progress.mjs';

const dry = (count: number): string =>
  Array.from({ length: count }, (_, i) => `12:00:00 PM - A non-dry build would build project '/a/${i}'\n`).join('\n');

describe('BuildProgress', () => {
  it('reports how many packages are built, and each package', () => {
    const lines: string[] = [];
    const progress = new BuildProgress(dry(11), (line) => lines.push(line));
    for (const line of [
      '12:41:38 PM - Projects in this build: ',
      '    * packages/apimachinery/tsconfig.json',
      '',
      "12:41:38 PM - Project 'packages/apimachinery/tsconfig.json' is out of date because output does not exist",
      "12:41:39 PM - Building project 'packages/apimachinery/tsconfig.json'...",
      "12:41:39 PM - Project 'packages/schema/tsconfig.json' is up to date",
      "12:41:42 PM - Building project 'packages\\client\\tsconfig.json'...",
    ])
      expect(progress.take(line)).toBe(true);
    progress.bundling();
    expect(lines).toEqual([
      'building 11 packages, which takes about 20 s; later starts skip this step',
      'building 1 of 11: packages/apimachinery',
      'building 2 of 11: packages/client',
      'bundling',
    ]);
  });

  it('leaves the errors of the compiler to the caller', () => {
    const progress = new BuildProgress(dry(1), () => undefined);
    expect(progress.take("src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.")).toBe(false);
  });

  it('reports nothing if only timestamps are updated', () => {
    const lines: string[] = [];
    const updated = "12:00:00 PM - A non-dry build would update timestamps for output of project '/a'\n";
    const progress = new BuildProgress(updated, (line) => lines.push(line));
    expect(progress.take("12:41:42 PM - Updating output timestamps of project 'a/tsconfig.json'...")).toBe(true);
    progress.bundling();
    expect(lines).toEqual([]);
  });
});
