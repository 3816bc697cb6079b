import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareCrds } from '../changes/compare-crds.ts';
import { ts } from '../compiler/typescript.ts';
import type { Crd } from '../crd/crd.ts';
import { Generator } from '../generate.ts';
import { crdsOf } from '../testdata/fixture.ts';
import { importCrd } from './import-crd.ts';
import { ImportError } from './import-error.ts';

/** Code that sets a global variable. It only runs if it escapes from a literal, a comment or a name. */
const attack = "globalThis['kwAttack']=1";
const pieces = fc.constantFrom(
  `{};${attack};//`,
  `';${attack};'`,
  `";${attack};"`,
  `*/${attack}/*`,
  `\`\${${attack}}\``,
  `\n${attack}\n`,
  `\u2028${attack}\u2029`,
  `\r\n*/ export const a = (${attack});`,
  ' */',
  '*',
  '/',
  '\\',
  "'",
  '"',
  '`',
  '${',
  '{{',
  '__proto__',
  'constructor',
  '@rbac groups=* resources=* verbs=*',
  ' @rule false',
  '@',
  '\n+optional',
  '\n',
  ' ',
  '../..',
  'a',
  'é',
  '\u0085',
  'Kind',
  'Object',
);
const hostile = fc.array(pieces, { minLength: 1, maxLength: 5 }).map((each) => each.join(''));

const pattern = hostile.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));

/**
 * Generates a valid name or, rarely, a malicious one: if malicious names were frequent, nearly all CRDs would be rejected
 * early.
 */
const name = (...valid: readonly [string, ...string[]]): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: fc.constantFrom(...valid), weight: 30 }, { arbitrary: hostile, weight: 1 });

/** Structural schemas whose keywords have attacker-controlled values. */
const leaf: fc.Arbitrary<object> = fc.oneof(
  fc.record({ type: fc.constant('string'), pattern }),
  fc.record({ type: fc.constant('string'), enum: fc.uniqueArray(hostile, { minLength: 1, maxLength: 3 }) }),
  fc.record({ type: fc.constant('string'), default: hostile, example: hostile }),
  fc.record({ type: fc.constant('string'), format: hostile, title: hostile }),
  fc.record({ type: fc.constant('integer'), enum: fc.constant([1, 2, 1e21, -3]) }),
  fc.record({ type: fc.constant('boolean'), enum: fc.constant([true]) }),
  fc.record({ 'x-kubernetes-preserve-unknown-fields': fc.constant(true), default: fc.dictionary(hostile, hostile) }),
);
const described = fc.tuple(leaf, hostile).map(([schema, description]) => ({ ...schema, description }));
const objectSchema = fc
  .record({
    properties: fc.dictionary(fc.oneof(hostile, fc.constantFrom('a', 'a-b', 'a.b', '')), described),
    description: hostile,
  })
  .map((schema) => ({ type: 'object', ...schema }));
const schema = fc.oneof(
  described,
  objectSchema,
  objectSchema.map((items) => ({ type: 'array', items })),
  described.map((additionalProperties) => ({ type: 'object', additionalProperties })),
);

const crds = fc
  .record({
    group: name('example.com', 'k.io.example'),
    kind: name('Ox', 'My-Kind', 'class', 'Kind', 'Kubernetes', 'Record', 'NaN'),
    plural: name('oxen'),
    singular: name('ox'),
    listKind: name('OxList'),
    shortName: name('o'),
    category: name('all'),
    version: name('v1'),
    column: fc.record({
      name: hostile,
      type: fc.constant('string'),
      jsonPath: fc.constant('.metadata.name'),
      description: hostile,
    }),
    warning: hostile,
    root: fc.oneof(hostile, fc.constant('An ox.')),
    spec: objectSchema,
    field: schema,
  })
  .map(
    ({
      group,
      kind,
      plural,
      singular,
      listKind,
      shortName,
      category,
      version,
      column,
      warning,
      root,
      spec,
      field,
    }) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names: { kind, plural, singular, listKind, shortNames: [shortName], categories: [category] },
        scope: 'Namespaced',
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            deprecated: true,
            deprecationWarning: warning,
            additionalPrinterColumns: [column],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                description: root,
                required: ['spec'],
                properties: { spec: { ...spec, properties: { ...spec.properties, object: field } } },
              },
            },
          },
        ],
      },
    }),
  );

/** Returns the source of an imported CRD, or undefined if the CRD is rejected. */
function imported(crd: object, as: 'kind' | 'definition'): string | undefined {
  try {
    return importCrd(JSON.stringify(crd), { as });
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    return undefined;
  }
}

/** Returns the source of all code that runs when a module is imported. */
function effects(source: string): readonly string[] {
  const file = ts.createSourceFile('imported.ts', source, ts.ScriptTarget.ESNext, true);
  const { parseDiagnostics } = file as unknown as { readonly parseDiagnostics: readonly ts.Diagnostic[] };
  const found = parseDiagnostics.map(
    ({ messageText }) => `does not parse: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
  const isInert = (node: ts.Node): boolean => {
    if (ts.isObjectLiteralExpression(node)) {
      return node.properties.every(
        (each) =>
          ts.isPropertyAssignment(each) &&
          (!ts.isComputedPropertyName(each.name) || ts.isStringLiteral(each.name.expression)) &&
          isInert(each.initializer),
      );
    }
    if (ts.isArrayLiteralExpression(node)) return node.elements.every(isInert);
    if (ts.isPrefixUnaryExpression(node)) return ts.isNumericLiteral(node.operand);
    const { kind } = node;
    const isWord = [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(kind);
    return isWord || ts.isStringLiteral(node) || ts.isNumericLiteral(node);
  };
  for (const statement of file.statements) {
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) continue;
    if (ts.isImportDeclaration(statement) && /'@kubewright\/(apimachinery|runtime)'/.test(statement.getText()))
      continue;
    const value = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations[0]?.initializer
      : undefined;
    const isDefinition = value && ts.isCallExpression(value) && value.expression.getText() === 'defineKind';
    const [argument] = isDefinition ? value.arguments : [value];
    if (argument === undefined || !isInert(argument)) found.push(statement.getText());
  }
  return found;
}

const projectRoot = fileURLToPath(new URL('../testdata/project/', import.meta.url));

describe('importCrd with a malicious CRD', () => {
  const generator = new Generator({ root: projectRoot, sources: ['imported.ts'] });
  beforeAll(() => generator.generate());

  it('rejects a kind that contains code', () => {
    const kind = `Ox = {}; ${attack}; export const b`;
    const versions = [{ name: 'v1', served: true, storage: true }];
    const spec = { group: 'example.com', names: { kind, plural: 'oxen' }, scope: 'Cluster', versions };
    const text = JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec });
    expect(() => importCrd(text)).toThrow(`spec.names.kind is ${JSON.stringify(kind)}`);
  });

  it.each(['kind', 'definition'] as const)('writes a %s that parses and does nothing when imported', (as) => {
    let count = 0;
    fc.assert(
      fc.property(crds, (crd) => {
        const source = imported(crd, as);
        if (source === undefined) return;
        count++;
        expect(effects(source)).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(count).toBeGreaterThan(100);
  });

  it('executes no code from the CRD', async () => {
    for (const crd of fc.sample(crds, 100)) {
      const source = imported(crd, 'kind');
      if (source === undefined) continue;
      const { code } = transformSync(source, { loader: 'ts', target: 'es2022' });
      await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
      expect(globalThis).not.toHaveProperty('kwAttack');
    }
  });

  it('writes a definition that yields the same CRD and no permissions', async () => {
    await fc.assert(
      fc.asyncProperty(crds, async (crd) => {
        const source = imported(crd, 'definition');
        if (source === undefined) return;
        const overlay = new Map([[`${projectRoot}imported.ts`, source]]);
        const { problems, files, rules } = await generator.generate({ overlay });
        expect(rules).toEqual([]);
        expect(problems).toEqual([]);
        const changes = compareCrds(crd as unknown as Crd, crdsOf({ files })[0] as Crd);
        expect(changes.filter(({ kind }) => kind !== 'description-changed')).toEqual([]);
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it.each([
    ['an enumeration that is a text', { type: 'string', enum: "'; attack; '" }],
    ['a description that is a list', { type: 'string', description: ['*/'] }],
    ['a limit that is a text', { type: 'string', maxLength: '1 */ attack /*' }],
    ['required fields that are a number', { type: 'object', required: 1 }],
    ['properties that are a list', { type: 'object', properties: ['*/'] }],
    ['a rule that is a number', { type: 'string', 'x-kubernetes-validations': [{ rule: 1 }] }],
    ['a schema that is a text', '*/'],
  ])('rejects %s', (_, wrong) => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: {
        group: 'example.com',
        names: { kind: 'Ox', plural: 'oxen' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: wrong } } } },
            },
          },
        ],
      },
    };
    expect(() => importCrd(JSON.stringify(crd))).toThrow(/cannot generate types from the CRD: .*spec\.a/);
  });

  it('gives two kinds with the same name different names', () => {
    const crd = fc.sample(crds, 50).find((each) => imported(each, 'kind') !== undefined);
    const source = importCrd(`${JSON.stringify(crd)}\n---\n${JSON.stringify(crd)}`);
    const constants = [...source.matchAll(/^export const (\w+):/gm)].map(([, each]) => each);
    expect(new Set(constants).size).toBe(2);
    expect(effects(source)).toEqual([]);
  });
});
