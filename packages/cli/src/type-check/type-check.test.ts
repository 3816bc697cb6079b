import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Child } from '../program/cli-environment.ts';
import type { Context } from '../program/context.ts';
import { Reporter } from '../program/reporter.ts';
import { TypeCheck } from './type-check.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kw types-'));
  mkdirSync(join(root, 'node_modules', 'typescript', 'bin'), { recursive: true });
  for (const file of ['tsconfig.json', 'package.json', 'node_modules/typescript/package.json'])
    writeFileSync(join(root, file), '{}');
  writeFileSync(join(root, 'node_modules/typescript/bin/tsc'), '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Starts a check with a fake compiler that reports the given mistakes. */
function checking(isSyntaxReported: () => boolean): {
  says(...mistakes: readonly string[]): string;
  readonly check: TypeCheck;
} {
  let printed = '';
  let compiler: (text: string) => void = () => undefined;
  const write = (text: string): void => {
    printed += text;
  };
  const reporter = new Reporter({ stdout: { write }, stderr: { write }, json: false, colors: false });
  const spawn = (_: readonly string[], options: { readonly onOutput?: (text: string) => void }): Child => {
    compiler = options.onOutput ?? compiler;
    return {
      pid: undefined,
      ended: new Promise(() => undefined),
      kill: () => undefined,
      write: () => undefined,
    } as Child;
  };
  const environment = { spawn, env: {}, program: ['node'] };
  const context = { reporter, environment } as unknown as Context;
  const project = { root, name: 'shop', domain: 'example.com', certificates: 'own' } as const;
  const check = new TypeCheck(project, context, { isSyntaxReported });
  check.start();
  return {
    check,
    says(...mistakes) {
      printed = '';
      const lines = mistakes.map((mistake) => `src/a.ts(1,1): error ${mistake}\n`).join('');
      compiler(`File change detected\n${lines}Found ${mistakes.length} errors. Watching for file changes.\n`);
      return printed;
    },
  };
}

describe('TypeCheck', () => {
  it('reports type errors once and reports when they are fixed', () => {
    const compiler = checking(() => false);
    expect(compiler.says()).toBe('✓ type check passed\n');
    expect(compiler.says('TS2322: no')).toMatch(/^! type check failed +one error\n {4}src\/a\.ts:1:1 TS2322 no\n$/);
    expect(compiler.says('TS2322: no')).toBe('');
    expect(compiler.says()).toMatch(/^✓ type check passed +again\n$/);
  });

  it('waits for the first result, and rejects type errors', async () => {
    const right = checking(() => false);
    right.says();
    await right.check.assertPassed();
    const wrong = checking(() => false);
    const result = expect(wrong.check.assertPassed()).rejects.toMatchObject({
      code: 'KW7507',
      text: { why: '2 errors, the first in src/a.ts:1:1' },
    });
    wrong.says('TS2322: no', 'TS2551: neither');
    await result;
  });

  it('skips syntax errors that the bundler has reported', () => {
    let isReported = true;
    const compiler = checking(() => isReported);
    expect(compiler.says()).toBe('✓ type check passed\n');
    expect(compiler.says("TS1005: ',' expected.")).toBe('');
    expect(compiler.says()).toBe('');
    expect(compiler.says('TS2322: no')).toContain('TS2322');
    // The error is in a file that is not bundled, such as a test.
    isReported = false;
    expect(compiler.says("TS1005: ',' expected.")).toContain('TS1005');
  });
});
