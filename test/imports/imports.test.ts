import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Production processes load the built package, not the sources. */
beforeAll(() => {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, encoding: 'utf8' });
  expect(built.stdout).toBe('');
});

function loadedBy(pkg: string): { readonly node: readonly string[]; readonly packages: readonly string[] } {
  const entry = pathToFileURL(`${root}packages/${pkg}/dist/index.js`).href;
  const child = spawnSync(process.execPath, ['test/imports/list-loaded-modules.mjs', entry], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(child.stderr).not.toMatch(/Error/);
  const urls = child.stdout.trim().split('\n');
  expect(urls[0]).toBe(entry);
  const own = /\/packages\/(apimachinery|client|runtime)\/dist\//;
  return {
    node: urls.filter((url) => url.startsWith('node:')).sort(),
    packages: urls.filter((url) => !url.startsWith('node:') && !own.test(url)),
  };
}

describe('importing', () => {
  it('@kubewright/apimachinery loads no other modules', () => {
    expect(loadedBy('apimachinery')).toEqual({ node: [], packages: [] });
  });

  it('@kubewright/client loads no HTTP, TLS or YAML modules, and starts no program', () => {
    expect(loadedBy('client')).toEqual({
      node: ['node:events', 'node:fs/promises', 'node:net', 'node:os', 'node:path', 'node:stream'],
      packages: [],
    });
  });

  it('@kubewright/runtime adds no logger, metrics, servers or threads', () => {
    expect(loadedBy('runtime')).toEqual({
      node: [
        'node:crypto',
        'node:events',
        'node:fs/promises',
        'node:net',
        'node:os',
        'node:path',
        'node:stream',
        'node:timers',
        'node:timers/promises',
        'node:v8',
      ],
      packages: [],
    });
  });
});
