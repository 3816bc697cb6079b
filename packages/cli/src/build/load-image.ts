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
import { parseImageReference } from '@kubewright/apimachinery/internal';
import { CliError } from '../program/cli-error.ts';
import { operatorImage } from './operator-image.ts';

/**
 * Lets the embedded cluster's node run the bundle in `dist/` as an image. Copies the bundle to a folder in
 * `dist/images` that is named after its content, and maps the tag to that copy in `kubewright-images.json`. Each tag
 * keeps the bundle that it was loaded with. Tags that were never loaded do not exist. Copies that no tag refers to are
 * removed.
 */
export function loadImage(root: string, image: string): void {
  const mapFile = join(root, 'kubewright-images.json');
  const images = readImages(mapFile);
  const copy = keepCopy(join(root, 'dist'));
  const folder = `./dist/images/${copy}`;
  const own = keyOf(image);
  // Earlier versions wrote the repository without a tag, which matched every tag.
  const repository = own?.replace(/:[^:]*$/, '');
  const kept = Object.entries(images).filter(([key, entry]) => {
    if (keyOf(key) === own && hasTag(key)) return false;
    return !(isLoadedWithoutTag(entry) && keyOf(key)?.replace(/:[^:]*$/, '') === repository);
  });
  const entry = { like: 'node', folder, command: ['node', '--enable-source-maps', `${folder}/main.mjs`] };
  const key = hasTag(image) ? image : `${image}:latest`;
  const text = `${JSON.stringify({ ...Object.fromEntries(kept), [key]: entry }, null, 2)}\n`;
  // Write a new file and rename it, because the node can read the file at any time.
  writeFileSync(`${mapFile}.new`, text, { mode: 0o644 });
  renameSync(`${mapFile}.new`, mapFile);
  const all = join(root, 'dist', 'images');
  for (const name of readdirSync(all)) if (!text.includes(name)) rmSync(join(all, name), { recursive: true });
}

/** Copies the bundle to a folder named after its content and returns that name. */
function keepCopy(dist: string): string {
  const present = operatorImage.files.filter((name) => existsSync(join(dist, name)));
  const hash = createHash('sha256');
  for (const name of present) hash.update(readFileSync(join(dist, name)));
  const name = hash.digest('hex').slice(0, 16);
  const folder = join(dist, 'images', name);
  mkdirSync(folder, { recursive: true });
  for (const file of present) copyFileSync(join(dist, file), join(folder, file));
  return name;
}

function readImages(path: string): Readonly<Record<string, unknown>> {
  let why = 'the file must contain a JSON object with image names as keys';
  try {
    const images: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    if (typeof images === 'object' && images !== null && !Array.isArray(images)) return { ...images };
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  throw new CliError('KW7506', {
    what: `cannot load the image: ${path} is not a valid image map`,
    why,
    remedy: 'fix the file, or delete it and load all images again',
  });
}

/**
 * Returns the normalized form of an image reference, or `undefined` if the reference is invalid. Callers keep invalid
 * references unchanged.
 */
function keyOf(image: string): string | undefined {
  try {
    const { domain, path, tag = 'latest' } = parseImageReference(image);
    return `${domain}/${path}:${tag}`;
  } catch {
    // The node reports the error when it reads the file.
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
