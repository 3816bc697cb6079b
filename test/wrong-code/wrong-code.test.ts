import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { mistakes, preamble } from './mistakes.ts';

// The compiler errors for common mistakes are part of the API: they must be short and refer to the user's code. To
// update the expected errors, run `npx vitest run test/wrong-code -u`, and review the changes.

const folder = fileURLToPath(new URL('.', import.meta.url));
const path = (name: string) => `${folder}${name.replaceAll(' ', '-')}.ts`;
let program: ts.Program;

beforeAll(() => {
  const sources = new Map(Object.entries(mistakes).map(([name, code]) => [path(name), `${preamble}${code.trim()}\n`]));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    customConditions: ['kubewright-source'],
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, language, ...rest) => {
    const text = sources.get(name);
    return text === undefined ? getSourceFile(name, language, ...rest) : ts.createSourceFile(name, text, language);
  };
  program = ts.createProgram({ rootNames: [...sources.keys()], options, host });
});

/** Returns the code, with each compiler error below the line that it refers to. */
function annotated(name: string): string {
  const source = program.getSourceFile(path(name));
  const found = source ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)] : [];
  const lines = (mistakes[name] ?? '').trim().split('\n');
  const first = preamble.split('\n').length - 1;
  const said = new Map<number, string[]>();
  for (const diagnostic of found) {
    const { line, character } = source?.getLineAndCharacterOfPosition(diagnostic.start ?? 0) ?? {
      line: 0,
      character: 0,
    };
    const mark = `${' '.repeat(character)}${'~'.repeat(diagnostic.length ?? 1)}`;
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n').replaceAll(/import\(".*?"\)\./g, '');
    said.set(line - first, [...(said.get(line - first) ?? []), mark, ...text.split('\n').map((one) => `! ${one}`)]);
  }
  return `${lines.flatMap((line, at) => [line, ...(said.get(at) ?? [])]).join('\n')}\n`;
}

describe('wrong code', () => {
  it('is wrong only because of the mistake: the preamble compiles', () => {
    const preambles = Object.keys(mistakes).map((name) => annotated(name));
    expect(preambles.every((text) => text.includes('\n! '))).toBe(true);
    expect(program.getGlobalDiagnostics()).toEqual([]);
  });

  for (const name of Object.keys(mistakes)) {
    it(name, async () => {
      await expect(annotated(name)).toMatchFileSnapshot(`expected/${name.replaceAll(' ', '-')}.txt`);
    });
  }
});
