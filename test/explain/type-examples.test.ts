import { describe, expect, it } from 'vitest';
import { typeExamples } from '../../packages/cli/src/explain/examples/type-examples.ts';
import { Fixture } from '../../packages/codegen/src/testdata/fixture.ts';

const fixture = new Fixture();
const kind = "export const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });";

/** Returns the codes that `generate` reports for a program. */
async function codesOf(program: string): Promise<readonly string[]> {
  const source = /\bdefineKind\b|\bctx\b/.test(program) ? program : `${program}\n${kind}`;
  return (await fixture.generate(source)).problems.map(({ code }) => code);
}

describe('kubewright explain, types', () => {
  it.each(typeExamples)(
    '$code: the mistake reports the code, and the fix reports none',
    async ({ code, mistake, fix }) => {
      expect(new Set(await codesOf(mistake))).toEqual(new Set([code]));
      expect(await codesOf(fix)).toEqual([]);
    },
    60_000,
  );
});
