import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseImageReference } from '@kubewright/apimachinery';
import { CliError } from '../program/cli-error.ts';

/** The bundle and its source map, as the image has them. */
const files = ['main.mjs', 'main.mjs.map'];

/**
 * Lets the embedded cluster's node run the bundle in `dist/` as an image: keeps a copy of it below `dist/images`, named by
 * its content, and writes into `kubewright-images.json` that the tag is that copy. So each tag keeps the program that it was
 * loaded with, and other tags do not exist. Copies that no tag refers to are removed.
 */
export function loadImage(root: string, image: string): void {
  const mapFile = join(root, 'kubewright-images.json');
  const images = readImages(mapFile);
  const copy = keepCopy(join(root, 'dist'));
  const folder = `./dist/images/${copy}`;
  const own = keyOf(image);
  // An earlier version named the repository only, which was every tag.
  const repository = own?.replace(/:[^:]*$/, '');
  const kept = Object.entries(images).filter(([key, entry]) => {
    if (keyOf(key) === own && hasTag(key)) return false;
    return !(isLoadedWithoutTag(entry) && keyOf(key)?.replace(/:[^:]*$/, '') === repository);
  });
  const entry = { like: 'node', folder, command: ['node', '--enable-source-maps', `${folder}/main.mjs`] };
  const key = hasTag(image) ? image : `${image}:latest`;
  const text = `${JSON.stringify({ ...Object.fromEntries(kept), [key]: entry }, null, 2)}\n`;
  // In one step: a node may read it at any time.
  writeFileSync(`${mapFile}.new`, text, { mode: 0o644 });
  renameSync(`${mapFile}.new`, mapFile);
  const all = join(root, 'dist', 'images');
  for (const name of readdirSync(all)) if (!text.includes(name)) rmSync(join(all, name), { recursive: true });
}

/** Copies the bundle to a folder that is named by its content; answers that name. */
function keepCopy(dist: string): string {
  const present = files.filter((name) => existsSync(join(dist, name)));
  const hash = createHash('sha256');
  for (const name of present) hash.update(readFileSync(join(dist, name)));
  const name = hash.digest('hex').slice(0, 16);
  const folder = join(dist, 'images', name);
  mkdirSync(folder, { recursive: true });
  for (const file of present) copyFileSync(join(dist, file), join(folder, file));
  return name;
}

function readImages(path: string): Readonly<Record<string, unknown>> {
  let why = 'it must hold an object of image names';
  try {
    const images: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    if (typeof images === 'object' && images !== null && !Array.isArray(images)) return { ...images };
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  throw new CliError('KW7506', {
    what: `cannot load the image: ${path} is no image map`,
    why,
    remedy: 'fix the file, or remove it and load every image again',
  });
}

/** One text for all spellings of an image; `undefined` for what is no image reference, which stays as the user wrote it. */
function keyOf(image: string): string | undefined {
  try {
    const { domain, path, tag = 'latest' } = parseImageReference(image);
    return `${domain}/${path}:${tag}`;
  } catch {
    // The node says so when it reads the file.
    return undefined;
  }
}

function hasTag(image: string): boolean {
  return /[@:][^/]*$/.test(image);
}

function isLoadedWithoutTag(entry: unknown): boolean {
  const { like, folder } = (entry ?? {}) as { readonly like?: unknown; readonly folder?: unknown };
  return like === 'node' && folder === './dist' && JSON.stringify(entry).includes('"./dist/main.mjs"');
}
