import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns a package and its dependencies with their sizes in bytes; for a workspace package, counts only published
 * files.
 */
export function installSize(folder) {
  const seen = new Map();
  const visit = (path) => {
    const real = realpathSync(path);
    if (seen.has(real)) return;
    const manifest = JSON.parse(readFileSync(join(real, 'package.json'), 'utf8'));
    seen.set(real, bytesOf(manifest.files && !real.includes('node_modules') ? join(real, 'dist') : real));
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      const found = find(real, name);
      if (found) visit(found);
    }
  };
  visit(folder);
  return { packages: seen.size, bytes: [...seen.values()].reduce((a, b) => a + b, 0) };
}

function find(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

function bytesOf(path) {
  if (!existsSync(path)) return 0;
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesOf(below);
    return entry.isFile() && !entry.name.endsWith('.tsbuildinfo') ? sum + statSync(below).size : sum;
  }, 0);
}
