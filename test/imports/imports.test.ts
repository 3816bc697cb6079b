import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Build the packages, because production processes load the build, not the sources. */
beforeAll(() => {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, encoding: 'utf8' });
  expect(built.stdout).toBe('');
});

interface LoadedModules {
  readonly node: readonly string[];
  /** Number of loaded files of our packages. */
  readonly scripts: number;
  readonly packages: readonly string[];
}

function loadedBy(pkg: string): LoadedModules {
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
    scripts: urls.filter((url) => own.test(url)).length,
    packages: urls.filter((url) => !url.startsWith('node:') && !own.test(url)),
  };
}

describe('importing', () => {
  it('@kubewright/apimachinery loads no other modules', () => {
    expect(loadedBy('apimachinery')).toEqual({ node: [], scripts: 3, packages: [] });
  });

  it('@kubewright/client loads no socket, TLS, YAML or file modules, and starts no program', () => {
    expect(loadedBy('client')).toEqual({
      node: ['node:events', 'node:os', 'node:path'],
      scripts: 8,
      packages: [],
    });
  });

  it('@kubewright/runtime adds no cryptography, metrics, servers or threads, and few files', () => {
    expect(loadedBy('runtime')).toEqual({
      node: ['node:events', 'node:os', 'node:path', 'node:timers', 'node:timers/promises', 'node:v8'],
      scripts: 13,
      packages: [],
    });
  });
});
