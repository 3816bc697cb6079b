import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';

const folder = join(repository, 'examples/postgres-cluster/src');

/** The operator's own sources, with their lines. */
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|\.contract\.ts$|testdata\//.test(path))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));

const linesOf = (text: string): number => text.trimEnd().split('\n').length;

/** Files of more than 300 lines, with their limits, which may only fall. Each holds one class, or the types of one kind. */
const large: Readonly<Record<string, number>> = {
  'api/v1/postgres-cluster.ts': 310,
  'instance/instance-manager.ts': 322,
  'instance/lease/primary-lease.ts': 324,
  'instance/local-instance.ts': 334,
};

/** Returns the functions of a file that are longer than `limit` lines. */
function longFunctions({ path, text }: (typeof sources)[number], limit: number): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const line = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
      const lines = line(node.getEnd()) - line(node.getStart()) + 1;
      if (lines > limit) found.push(`${path}:${line(node.getStart()) + 1}: ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe("the PostgreSQL operator's sources", () => {
  it('have no function of more than 60 lines', () => {
    expect(sources.flatMap((source) => longFunctions(source, 60))).toEqual([]);
  });

  it('reconcile in a file of at most 150 lines', () => {
    const reconcile = sources.find(({ path }) => path === 'controllers/reconcile.ts');
    expect(linesOf(reconcile?.text ?? '')).toBeGreaterThan(1);
    expect(linesOf(reconcile?.text ?? '')).toBeLessThanOrEqual(150);
  });

  it('have files of at most 300 lines, and a median of less than 150', () => {
    const sizes = sources.map(({ path, text }) => ({ path, lines: linesOf(text) }));
    expect(sizes.filter(({ path, lines }) => lines > (large[path] ?? 300))).toEqual([]);
    const median = sizes.map(({ lines }) => lines).sort((a, b) => a - b)[Math.floor(sizes.length / 2)];
    expect(median).toBeLessThan(150);
  });

  it('keep decisions and builders pure: no file in plan or spec imports a module of Node.js or a client', () => {
    const impure = sources
      .filter(({ path }) => /^(plan|spec)\//.test(path))
      .filter(({ text }) => /from '(node:(?!crypto)|@kubewright\/client)/.test(text));
    expect(impure.map(({ path }) => path)).toEqual([]);
  });
});
