import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../packages/cli/src/explain/generated/error-codes.ts';
import { repository } from '../main-job/repository.ts';
import { docsPages, page } from './pages.ts';

const packages = readdirSync(`${repository}/packages`).map((name) => page(`packages/${name}/README.md`));

describe('error codes in the documentation', () => {
  it('match the existing codes', () => {
    const known = new Set(errorCodes.map(({ code }) => code));
    const unknown = [...docsPages(), ...packages, page('README.md')].flatMap(({ path, text }) =>
      [...text.matchAll(/\bKW\d{4}\b/g)].filter(([code]) => !known.has(code)).map(([code]) => `${path}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });
});
