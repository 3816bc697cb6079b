// Finds wording that CONTRIBUTING.md asks to avoid (words.json), in pages, comments and messages. ratchet.json
// contains the number of findings allowed in each folder; folders not listed may have none.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { addedSince } from './added-lines.mjs';
import { readMarkdown } from './read-markdown.mjs';
import { readSource } from './read-source.mjs';
import { findingsIn, readRules } from './rules.mjs';

const roots = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs'],
  ...['packages', 'examples', 'bench', 'test', 'scripts'],
];
// Generated files. Their generators are checked instead.
const skipped =
  /(^|\/)(node_modules|dist|\.kubewright|generated|testdata|peers|\.vitepress\/cache)\/|^docs\/(api\/|proof\.md$)|\.d\.m?ts$/;
// The word list itself, and its tests.
const aboutWords = /^scripts\/(prose\/|check-prose\.test\.ts$)/;
const ratchetPath = 'scripts/prose/ratchet.json';
const rules = readRules();

/** Compares the findings of each folder with the ratchet; returns lines to print, and whether the check passed. */
export function checkProse(root) {
  const findings = findingsBelow(root, roots);
  const ratchet = readRatchet(root) ?? {};
  const now = counted(findings);
  const risen = Object.keys(now).filter((folder) => now[folder] > (ratchet[folder] ?? 0));
  const fallen = Object.keys(ratchet).filter((folder) => ratchet[folder] > (now[folder] ?? 0));
  const lines = risen
    .sort()
    .flatMap((folder) => [
      `${folder}: ${now[folder]} findings, ${ratchet[folder] ?? 0} allowed (exceptions: CONTRIBUTING.md)`,
      ...shown(newestOf(root, folder, findings)),
    ]);
  if (risen.length === 0 && fallen.length > 0)
    lines.push(`${fallen.length} folders improved; to lower the ratchet, run node scripts/check-prose.mjs --update`);
  return { ok: risen.length === 0, lines };
}

/** Returns all findings below paths as lines, ignoring the ratchet. */
export function listProse(root, paths) {
  return shown(findingsBelow(root, paths));
}

/** Lowers the ratchet to the current counts, or creates it from them. */
export function updateRatchet(root) {
  const before = readRatchet(root);
  const now = Object.entries(counted(findingsBelow(root, roots)));
  const kept = now
    .map(([folder, count]) => [folder, before ? Math.min(count, before[folder] ?? 0) : count])
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(ratchetOf(root), `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}

function findingsBelow(root, paths) {
  return paths
    .flatMap((path) => filesBelow(root, path))
    .flatMap((path) => {
      const text = textOf(join(root, path));
      if (text === undefined) return [];
      const read = path.endsWith('.md') ? readMarkdown(text) : readSource(text, path);
      return findingsIn(read, rules).map((finding) => ({ path, ...finding }));
    });
}

/** Returns a file's text, or undefined if the file no longer exists: other checks create and delete temporary files. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function filesBelow(root, path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  const all = statSync(full).isFile()
    ? [path]
    : readdirSync(full, { recursive: true }).map((name) => posix.join(path, name.replaceAll('\\', '/')));
  return all.filter((each) => /\.(md|ts|mjs)$/.test(each) && !skipped.test(each) && !aboutWords.test(each)).sort();
}

/**
 * Returns the folder to which a file's findings count, such as `packages/runtime/src/cache` for
 * `packages/runtime/src/cache/store.ts`.
 */
function folderOf(path) {
  return posix.dirname(path).split('/').slice(0, 4).join('/');
}

/**
 * Returns the findings on lines added since the ratchet was last set. If there are none, or git is unavailable, returns the
 * folder's first findings.
 */
function newestOf(root, folder, findings) {
  const all = findings.filter(({ path }) => folderOf(path) === folder);
  const isAdded = addedSince(root, ratchetPath, folder) ?? (() => false);
  const added = all.filter(isAdded);
  return added.length > 0 ? added : all.slice(0, 20);
}

function counted(findings) {
  const counts = {};
  for (const { path } of findings) counts[folderOf(path)] = (counts[folderOf(path)] ?? 0) + 1;
  return counts;
}

function ratchetOf(root) {
  return join(root, ratchetPath);
}

function readRatchet(root) {
  return existsSync(ratchetOf(root)) ? JSON.parse(readFileSync(ratchetOf(root), 'utf8')) : undefined;
}

function shown(findings) {
  return findings.map(({ path, line, text, but }) => `  ${path}:${line}: "${text}": ${but}`);
}
