import { describe, expect, it } from 'vitest';
import { operatorLine, tagsOf, withTags } from './rbac-tags.ts';

const main = `import { runOperator } from '@kubewright/runtime';

// runOperator(x) would be one.
process.exitCode = await runOperator({ controllers: [] });
`;
const secrets = (...verbs: readonly string[]) => verbs.map((verb) => ({ group: '', resource: 'secrets', verb }));
const scale = { group: 'apps', resource: 'deployments/scale', verb: 'patch' };

describe('tagsOf', () => {
  it("writes one tag per resource in controller-gen's format", () => {
    expect(tagsOf([...secrets('list', 'get'), scale, ...secrets('get')])).toEqual([
      '@rbac groups=apps resources=deployments/scale verbs=patch',
      '@rbac groups=core resources=secrets verbs=get;list',
    ]);
  });
});

describe('withTags', () => {
  it('adds a comment above the call and extends it the next time', () => {
    const once = withTags(main, secrets('list')) ?? '';
    const [head, call = ''] = main.split(/(?=process)/);
    expect(once).toBe(`${head}/**
 * Permissions that cannot be derived from the code, found by running the samples.
 * @rbac groups=core resources=secrets verbs=list
 */
${call}`);
    expect(withTags(once, secrets('list'))).toBe(once);
    expect(withTags(once, [...secrets('get'), scale])).toBe(`${head}/**
 * Permissions that cannot be derived from the code, found by running the samples.
 * @rbac groups=apps resources=deployments/scale verbs=patch
 * @rbac groups=core resources=secrets verbs=get;list
 */
${call}`);
    expect(operatorLine(once)).toBe(8);
  });

  it("keeps the user's own comment and tags", () => {
    const written = (comment: string): string => main.replace('process', `${comment}\nprocess`);
    expect(withTags(written('/** Runs it. */'), [scale])).toBe(
      written('/**\n * Runs it.\n * @rbac groups=apps resources=deployments/scale verbs=patch\n */'),
    );
    const several = '/**\n * Runs it.\n *\n * @rbac groups=core resources=pods;nodes verbs=get namespace=a';
    expect(withTags(written(`${several}\n */`), secrets('get'))).toBe(
      written(`${several}\n * @rbac groups=core resources=secrets verbs=get\n */`),
    );
    // A comment on another statement.
    const other = `${written('/** Not this. */\nconst a = 1;')}`;
    expect(withTags(other, [scale])).toContain(
      '/** Not this. */\nconst a = 1;\n/**\n * Permissions that cannot be derived',
    );
  });

  it('keeps indentation and line endings', () => {
    const text = 'async function main() {\r\n  await runOperator({});\r\n}\r\n';
    expect(withTags(text, [scale])).toBe(
      [
        'async function main() {',
        '  /**',
        '   * Permissions that cannot be derived from the code, found by running the samples.',
        '   * @rbac groups=apps resources=deployments/scale verbs=patch',
        '   */',
        '  await runOperator({});',
        '}',
        '',
      ].join('\r\n'),
    );
  });

  it('returns undefined if there is no call', () => {
    expect(withTags('// runOperator(x)\n', [scale])).toBeUndefined();
  });
});
