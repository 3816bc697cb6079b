import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { logEvents } from './log-events.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.test(-d)?\.ts$|testdata|^log[\\/]/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

describe('logEvents', () => {
  it('has distinct, well-formed ids', () => {
    const ids = Object.values(logEvents);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/.test(id))).toEqual([]);
  });

  it('has only ids that the runtime uses', () => {
    const all = sources.map(({ text }) => text).join('\n');
    expect(Object.keys(logEvents).filter((name) => !all.includes(`logEvents.${name}`))).toEqual([]);
  });

  it('gives an id to every log record of the runtime', () => {
    const without = sources.flatMap(({ path, text }) =>
      [...text.replace(/^\s*(\*|\/\/).*$/gm, '').matchAll(/log(?:\(\))?\??\.(?:debug|info|warn|error)\(/gi)]
        .map(({ index }) => callAt(text.replace(/^\s*(\*|\/\/).*$/gm, ''), index))
        .filter((call) => !call.includes('logEvents.'))
        .map((call) => `${path}: ${call.slice(0, 80)}`),
    );
    expect(without).toEqual([]);
  });
});

/** Returns the text of the call that starts at an index, up to its closing parenthesis. */
function callAt(text: string, index: number): string {
  let depth = 0;
  for (let i = text.indexOf('(', text.indexOf('.', index)); i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return text.slice(index, i + 1);
  }
  return text.slice(index);
}
