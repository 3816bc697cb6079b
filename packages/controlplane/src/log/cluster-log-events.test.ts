import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clusterLogEvents } from './cluster-log-events.ts';

const packages = fileURLToPath(new URL('../../..', import.meta.url));
const sources = ['controlplane/src', 'cli/src'].flatMap((folder) =>
  readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.test(-d)?\.ts$|testdata|templates|^log[\\/]/.test(path))
    .map((path) => ({
      path: join(folder, path),
      // Strips comments, because they contain example calls.
      text: readFileSync(join(packages, folder, path), 'utf8').replace(/^\s*(\*|\/\*|\/\/).*$/gm, ''),
    })),
);

describe('clusterLogEvents', () => {
  it('has distinct, well-formed ids', () => {
    const ids = Object.values(clusterLogEvents);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/.test(id))).toEqual([]);
  });

  it('has no unused ids', () => {
    const all = sources.map(({ text }) => text).join('\n');
    expect(Object.keys(clusterLogEvents).filter((name) => !all.includes(`clusterLogEvents.${name}`))).toEqual([]);
  });

  it('gives an id to every log record of the cluster and of the command line', () => {
    const without = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\blog\??\.(?:debug|info|warn|error)\(/gi)]
        .map(({ index }) => callAt(text, index))
        .filter((call) => !/\b(cluster|cli)LogEvents\./.test(call))
        .map((call) => `${path}: ${call.slice(0, 80)}`),
    );
    expect(without).toEqual([]);
  });
});

/** Returns the text of the call that starts at an index, up to its closing parenthesis. */
function callAt(text: string, index: number): string {
  let depth = 0;
  for (let i = text.indexOf('(', index); i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return text.slice(index, i + 1);
  }
  return text.slice(index);
}
