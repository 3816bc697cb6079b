import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { crdsOf, Fixture, headLines } from '../testdata/fixture.ts';
import { version } from '../version.ts';

const fixture = new Fixture();
// Read the types of the packages once, because reading them takes longer than running all tests.
beforeAll(() => fixture.generate(''));
const define = (more: string, types = '<{ a?: string }>'): string =>
  `export const Thing = defineKind${types}({ group: 'example.com', version: 'v1', kind: 'Thing', ${more} });\n`;

describe('CRDs', () => {
  it('contain all versions of a kind, one of them stored', async () => {
    const result = await fixture.generate(`
      export const Old = defineKind<{ a?: string }>({
        group: 'example.com', version: 'v1beta1', kind: 'Policy', storage: false, deprecated: true, served: false,
      });
      export const New = defineKind<{ a?: string }, { b?: string }>({ group: 'example.com', version: 'v1', kind: 'Policy' });`);
    expect(result.problems).toEqual([]);
    expect(result.files.map(({ path }) => path)).toContain('config/crd/bases/example.com_policies.yaml');
    const [crd] = crdsOf(result);
    expect(crd?.metadata).toEqual({ name: 'policies.example.com', annotations: { 'kubewright.dev/version': version } });
    expect(crd?.spec.versions.map(({ schema, ...rest }) => rest)).toEqual([
      { name: 'v1', served: true, storage: true, subresources: { status: {} } },
      { name: 'v1beta1', served: false, storage: false, deprecated: true },
    ]);
  });

  it('have an annotation with the version of this package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(version).toBe(manifest.version);
  });

  it('support keywords in `schema` that a comment cannot contain', async () => {
    const result = await fixture.generate(
      define(`schema: { 'spec.list[]': { pattern: '^*/$' === '' ? '' : '^a*/$' } }`, '<{ list?: string[] }>').replace(
        `'^*/$' === '' ? '' : `,
        '',
      ),
    );
    expect(result.problems).toEqual([]);
    const spec = crdsOf(result)[0]?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
    expect(spec?.properties?.['list']).toEqual({ type: 'array', items: { type: 'string', pattern: '^a*/$' } });
  });

  it.each([
    [define(`plural: String('x')`), 'KW6002', 'the value of plural cannot be determined from the code'],
    [define('', ''), 'KW6003', 'defineKind has no type arguments'],
    [define('') + define('').replace('const Thing', 'const Other'), 'KW6004', 'Thing defines version v1 twice'],
    [
      define('') + define('').replace('const Thing', 'const Other').replace("'v1'", "'v2'"),
      'KW6004',
      'Thing must have exactly one storage version, got v1, v2',
    ],
    [define(`schema: { 'spec.b': {} }`), 'KW6205', 'the option schema refers to spec.b, which does not exist'],
    [
      define(`columns: [{ name: 'B', jsonPath: '.spec.b' }]`),
      'KW6205',
      'column B refers to .spec.b, which does not exist',
    ],
  ])('are rejected: %s', async (source, code, what) => {
    const { files, problems } = await fixture.generate(source);
    expect(files).toEqual([]);
    expect(problems.map((problem) => [problem.code, problem.what])).toContainEqual([code, what]);
  });
});

describe('source files', () => {
  it('with syntax errors are rejected with the position', async () => {
    const { files, problems } = await fixture.generate(`${define('')}\nconst = 1;`);
    expect(files).toEqual([]);
    expect(problems[0]).toMatchObject({ code: 'KW6001', file: 'kind.ts', line: headLines + 3, column: 7 });
  });
});

describe('validation of CRDs', () => {
  it.each([
    ['/** @default x @maxLength 0 */', 'string', 'KW6301', /may not be more than 0 bytes/],
    ['/** @pattern ( */', 'string', 'KW6301', /must be a valid regular expression/],
    [
      '/** @listType map */',
      '{ b?: string }[]',
      'KW6301',
      /x-kubernetes-list-map-keys|empty if x-kubernetes-list-type is map/,
    ],
    ['/** @rule self.b */', '{ c?: string }', 'KW6302', /undefined field 'b'/],
    ['/** @rule 1 */', 'string', 'KW6302', /must evaluate to a bool/],
    ['/** @rule true @messageExpression 1 */', 'string', 'KW6302', /must evaluate to a string/],
  ])('reports the field of %s %s', async (comment, type, code, what) => {
    const problems = await fixture.problems(`interface Spec {\n  ${comment}\n  a?: ${type};\n}`);
    // Problems with a rule are reported at the rule, other problems at the field.
    const line = headLines + (comment.includes('@rule') ? 2 : 3);
    expect(problems[0]).toMatchObject({ code, path: 'spec.a', file: 'kind.ts', line });
    expect(problems[0]?.what).toMatch(what);
  });

  it.each([
    [
      'interface Spec {\n  /** @rule self.all(x, self.exists_one(y, x == y)) */\n  a?: string[];\n}',
      'spec.a',
      'add @maxItems to spec.a, @maxLength to spec.a[], or simplify the rule',
    ],
    [
      'interface Spec {\n  /** @items.rule self.matches("^[a-z]+$") */\n  a?: string[];\n}',
      'spec.a[]',
      'add @maxItems to spec.a, @maxLength to spec.a[], or simplify the rule',
    ],
    [
      'interface Spec {\n  /** @rule self.all(k, self[k].all(x, x.contains(k))) */\n  a?: Record<string, string[]>;\n}',
      'spec.a',
      'add @maxProperties to spec.a, @maxItems to spec.a{}, @maxLength to spec.a{}[], or simplify the rule',
    ],
    [
      'interface Spec {\n  /** @maxItems 9000 @rule self.all(x, self.all(y, x == y)) */\n  a?: boolean[];\n}',
      'spec.a',
      'lower the limits of the values that the rule reads (@maxItems, @maxLength, @maxProperties), or simplify the rule',
    ],
  ])('suggests the limits that would make a rule cheap enough: %s', async (declarations, path, fix) => {
    const problems = await fixture.problems(declarations);
    expect(problems[0]).toMatchObject({ code: 'KW6304', path, file: 'kind.ts', line: headLines + 2, fix });
    expect(problems[0]?.what).toMatch(/^estimated rule cost exceeds budget by factor of [\w .]+x$/);
  });

  it('rejects rules that are too expensive in total', async () => {
    const rules = Array.from({ length: 20 }, (_, i) => `@rule self.all(x, self.all(y, x != y || ${i} > 1))`).join(
      '\n * ',
    );
    const problems = await fixture.problems(
      `interface Spec {\n/** @maxItems 1000\n * ${rules} */\n  a?: boolean[];\n}`,
    );
    // The most costly rules, which are reported one by one.
    const costly = 'KW6304 contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    expect(problems.map(({ code, what }) => `${code} ${what}`)).toEqual([
      ...Array.from({ length: 4 }, () => costly),
      expect.stringMatching(/^KW6304 x-kubernetes-validations estimated rule cost total .* by factor of 1\.\d+x$/),
    ]);
  });

  it('warns about short names that kubectl resolves to another kind', async () => {
    const { files, problems } =
      await fixture.generate(`${define("shortNames: ['thing', 'po', 'deploy', 'crd', 'services']")}
      export const Other = defineKind<{ a?: string }>({
        group: 'other.example.com', version: 'v1', kind: 'Other', shortNames: ['th', 'thing'],
      });
      export const Older = defineKind<{ a?: string }>({
        group: 'other.example.com', version: 'v1beta1', kind: 'Other', shortNames: ['th'], storage: false,
      });`);
    expect(problems.map(({ code, severity, what }) => [code, severity, what])).toEqual(
      [
        'the short name po of Thing is already used by Pod of the core group',
        'the short name deploy of Thing is already used by Deployment of apps',
        'the short name crd of Thing is already used by CustomResourceDefinition of apiextensions.k8s.io',
        'the short name services of Thing is already used by Service of the core group',
        'the short name thing of Other is already used by Thing of example.com',
      ].map((what) => ['KW6305', 'warning', what]),
    );
    // The problem is only a warning, so files are still generated.
    expect(crdsOf({ files })).toHaveLength(2);
  });

  it('warns about a CRD above 200 kB', async () => {
    const declarations =
      'interface Spec { a?: PodTemplateSpec; b?: PodTemplateSpec; c?: PodSpec; d?: PodSpec; e?: PodSpec; f?: PodSpec; g?: PodSpec }';
    const { files, problems } = await fixture.generate(`${declarations}\n${define('', '<Spec>')}`);
    expect(problems).toMatchObject([{ code: 'KW6303', severity: 'warning' }]);
    expect(files.length).toBeGreaterThan(0);
  });

  it('rejects a CRD above 900 kB', async () => {
    const fields = Array.from({ length: 60 }, (_, i) => `f${i}?: PodSpec;`).join(' ');
    const problems = await fixture.problems(`interface Spec { ${fields} }`);
    expect(problems).toMatchObject([{ code: 'KW6303', severity: 'error' }]);
  });
});
