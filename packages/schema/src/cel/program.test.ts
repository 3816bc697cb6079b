import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SchemaNode } from '../node/schema-node.ts';
import { CelBudgetError, CelCompileError, CelEvaluationError } from './errors.ts';
import { compileExpression } from './expression.ts';
import { kubernetesEnvironment } from './kubernetes-environment.ts';
import { intType } from './types/cel-type.ts';
import { CelDouble } from './values/double.ts';

const environment = kubernetesEnvironment();
const evaluate = (source: string, values: Readonly<Record<string, unknown>> = {}, budget?: { remaining: number }) => {
  const variables = Object.fromEntries(Object.keys(values).map((name) => [name, 'dyn' as const]));
  return compileExpression(source, { environment, variables }).evaluate(values, budget);
};

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const nearEdges = fc.oneof(
  int64,
  fc.constantFrom(0n, 1n, -1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)),
  fc.maxSafeInteger().map(BigInt),
);

describe('int arithmetic', () => {
  it('uses 64-bit integers and detects overflow', () => {
    const operations = {
      '+': (a: bigint, b: bigint) => a + b,
      '-': (a: bigint, b: bigint) => a - b,
      '*': (a: bigint, b: bigint) => a * b,
      '/': (a: bigint, b: bigint) => (b === 0n ? undefined : a / b),
      '%': (a: bigint, b: bigint) => (b === 0n ? undefined : a % b),
    };
    const programs = Object.keys(operations).map((op) =>
      compileExpression(`int(a) ${op} int(b)`, { environment, variables: { a: 'dyn', b: 'dyn' } }),
    );
    fc.assert(
      fc.property(nearEdges, nearEdges, (a, b) => {
        Object.values(operations).forEach((exact, i) => {
          const expected = exact(a, b);
          const inRange = expected !== undefined && BigInt.asIntN(64, expected) === expected;
          const run = () => programs[i]!.evaluate({ a: String(a), b: String(b) });
          if (!inRange) expect(run).toThrow(/overflow|by zero/);
          else expect(BigInt(run() as number | bigint)).toBe(expected);
        });
      }),
    );
  });

  it('has no negative zero', () => {
    expect(Object.is(evaluate('0 * -1'), 0)).toBe(true);
    expect(Object.is(evaluate('-5 % 5'), 0)).toBe(true);
    expect(Object.is(evaluate('-x', { x: 0 }), 0)).toBe(true);
  });
});

describe('logic', () => {
  it('ignores an error in one operand if the other decides the result', () => {
    expect(evaluate('1 / x > 0 || true', { x: 0 })).toBe(true);
    expect(evaluate('1 / x > 0 && false', { x: 0 })).toBe(false);
    expect(evaluate('[0, 1].exists(y, 1 / y == x)', { x: 1 })).toBe(true);
    expect(() => evaluate('1 / x > 0 || false', { x: 0 })).toThrow('division by zero');
  });

  it('evaluates only the selected branch of a conditional', () => {
    expect(evaluate('x > 0 ? 1 : 1 / x', { x: 1 })).toBe(1);
  });
});

describe('strings', () => {
  it('counts and orders code points', () => {
    expect(evaluate("'😀'.size()")).toBe(1);
    expect(evaluate("'\uffff' < '😀'")).toBe(true);
    expect(evaluate("'a😀b'.substring(1, 2)")).toBe('😀');
  });
});

describe('JSON variables', () => {
  it('converts numbers to the type that the schema declares', () => {
    const schema: SchemaNode = { type: 'object', properties: new Map([['n', { type: 'number' }]]) };
    const program = compileExpression('self.n', { environment, variables: { self: schema } });
    expect(program.evaluate({ self: { n: 1 } })).toEqual(new CelDouble(1));
    expect(evaluate('self.n', { self: { n: 1 } })).toBe(1);
  });

  it('ignores inherited properties of JSON objects', () => {
    const self = JSON.parse('{"a": 1}');
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(evaluate(`has(self.${name})`, { self })).toBe(false);
      expect(evaluate(`'${name}' in self`, { self })).toBe(false);
    }
    expect(evaluate("self['__proto__']", { self: JSON.parse('{"__proto__": 5}') })).toBe(5);
    const members = new Map([['constructor', { type: 'string' } as const]]);
    const typed = compileExpression('has(self.constructor)', {
      environment,
      variables: { self: { type: 'object', properties: members } },
    });
    expect(typed.evaluate({ self: {} })).toBe(false);
    expect(typed.evaluate({ self: { constructor: 'x' } })).toBe(true);
  });

  it('fails with a typed error when a variable is absent', () => {
    const program = compileExpression('x == 1', { environment, variables: { x: 'dyn' } });
    expect(() => program.evaluate({})).toThrow(CelEvaluationError);
    expect(() => program.evaluate({})).toThrow('no such attribute(s): x');
  });
});

describe('budget', () => {
  const big = Array.from({ length: 20_000 }, (_, i) => i);
  const words = Array.from({ length: 2_000 }, (_, i) => `w${i}`);
  const map = Object.fromEntries(words.map((word) => [word, word]));
  const text = 'a'.repeat(300_000);

  it.each([
    'big.all(x, big.all(y, big.all(z, x + y + z >= 0)))',
    'big.all(x, big.exists(y, true) && big.exists(y, false) || true)',
    'big.all(x, big == big)',
    'big.all(x, x in big)',
    'big.all(x, map.size() > 0 && map == map)',
    'big.all(x, map.exists(k, true))',
    'big.map(x, text + text).size() > 0',
    "big.all(x, text.matches('(a*)*b') || true)",
    "big.all(x, text.contains('b') || true)",
    "big.all(x, text.split('').size() > 0)",
    "big.all(x, text.replace('', text).size() > 0)",
    "big.all(x, text.matches('a' + string(x)) || true)",
    "text.matches('^(a?){1000}$')",
    'lists.range(1000000000).size() > 0',
    'big.sortBy(x, -x).distinct().size() > 0',
    'big.all(x, big.flatten().size() > 0)',
    'big.all(x, words.join(text).size() > 0)',
    "big.all(x, quantity('1e9999').isGreaterThan(quantity('1e-9')) && big.exists(y, true))",
  ])('stops %s when the budget is spent', (source) => {
    expect(() => evaluate(source, { big, words, map, text })).toThrow(CelBudgetError);
  });

  it('cannot be absorbed by ||', () => {
    expect(() => evaluate('big.all(x, big.all(y, big.all(z, z < 0 || true))) || true', { big })).toThrow(
      CelBudgetError,
    );
  });

  it('can be shared by several evaluations', () => {
    const budget = { remaining: 50 };
    evaluate('[1, 2, 3].all(x, x > 0)', {}, budget);
    expect(budget.remaining).toBeLessThan(50);
    expect(() => {
      for (let i = 0; i < 50; i++) evaluate('[1, 2, 3].all(x, x > 0)', {}, budget);
    }).toThrow(CelBudgetError);
  });
});

describe('deferred variables', () => {
  const deferred = { 'fields.n': intType };
  const program = compileExpression('x || fields.n > 0 && fields.n < 9', {
    environment,
    variables: { x: 'dyn' },
    deferred,
  });

  it('are computed only when an expression reads them', () => {
    const reads: string[] = [];
    const n = () => {
      reads.push('n');
      return 5;
    };
    expect(program.evaluate({ x: true, 'fields.n': n })).toBe(true);
    expect(reads).toEqual([]);
    expect(program.evaluate({ x: false, 'fields.n': n })).toBe(true);
    expect(reads).toEqual(['n', 'n']);
  });

  it('cost as much as a field of a variable', () => {
    const budget = { remaining: 100 };
    program.evaluate({ x: false, 'fields.n': () => 5 }, budget);
    // Reading x costs 1. Each of the two comparisons costs 3: the variable, its field, and the comparison.
    expect(budget.remaining).toBe(100 - 7);
  });

  it('fail with an error that || absorbs', () => {
    const failing = () => {
      throw new CelEvaluationError('no such value');
    };
    const absorbing = compileExpression('fields.n > 0 || x', { environment, variables: { x: 'dyn' }, deferred });
    expect(absorbing.evaluate({ x: true, 'fields.n': failing })).toBe(true);
    expect(() => program.evaluate({ x: false, 'fields.n': failing })).toThrow('no such value');
  });
});

describe('malicious sources', () => {
  const expectRejected = (source: string) =>
    expect(() => compileExpression(source, { environment, variables: {} })).toThrow(CelCompileError);

  it('rejects sources that are nested too deeply', () => {
    expectRejected('('.repeat(10_000));
    expectRejected(`${'['.repeat(1_000)}${']'.repeat(1_000)}`);
    expectRejected(`1${' + 1'.repeat(5_000)}`);
    expectRejected(`a${'.b'.repeat(5_000)}`);
    expectRejected(`a${'[0]'.repeat(5_000)}`);
  });

  it('rejects sources that are too long', () => {
    expectRejected(`'${'a'.repeat(100_001)}'`);
  });

  it('accepts long chains of logical operators', () => {
    expect(evaluate(`true${' && true'.repeat(10_000)}`)).toBe(true);
  });

  it('compiles chains of optMap in linear time and stops them when the budget is exceeded', () => {
    const chain = (links: number) => evaluate(`optional.of(1)${'.optMap(x, x + 1)'.repeat(links)}.value()`);
    expect(chain(15)).toBe(16);
    // In upstream's expansion, each link evaluates its optional twice, so the cost grows exponentially.
    expect(() => chain(200)).toThrow(CelBudgetError);
  });

  it('types many empty lists quickly', () => {
    expect(evaluate(Array.from({ length: 3_000 }, () => '[] == []').join(' && '))).toBe(true);
  });
});
