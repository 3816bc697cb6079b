import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type ImageConfig, thisArchitecture } from '../image-manifest.ts';

/** Writes a folder's entries to a tar archive, with the system's `tar`. */
export function tarOf(
  folder: string,
  file: string,
  { options = [], entries = ['.'] }: { readonly options?: readonly string[]; readonly entries?: readonly string[] } = {},
): string {
  const words = ['-C', folder, ...options, '-cf', file, ...entries];
  const { status, stderr } = spawnSync('tar', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cannot write ${file}: ${stderr}`);
  return file;
}

/** Writes an OCI layout into a folder. `layers` are uncompressed tar archives. */
export function writeLayout(
  folder: string,
  image: {
    readonly name: string;
    readonly layers: readonly string[];
    readonly config?: ImageConfig['config'];
  },
): string {
  const blob = (content: Uint8Array): { readonly digest: string; readonly size: number } => {
    const hex = createHash('sha256').update(content).digest('hex');
    mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true });
    writeFileSync(join(folder, 'blobs', 'sha256', hex), content);
    return { digest: `sha256:${hex}`, size: content.length };
  };
  const tars = image.layers.map((file) => readFileSync(file));
  const diffIds = tars.map((tar) => `sha256:${createHash('sha256').update(tar).digest('hex')}`);
  const config: ImageConfig = {
    os: 'linux',
    architecture: thisArchitecture,
    config: image.config ?? {},
    rootfs: { diff_ids: diffIds },
  };
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const layers = tars.map((tar) => blob(gzipSync(tar)));
  const manifest = blob(json({ schemaVersion: 2, config: blob(json(config)), layers }));
  const annotations = { 'io.containerd.image.name': image.name };
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(folder, 'index.json'), json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }));
  return folder;
}
