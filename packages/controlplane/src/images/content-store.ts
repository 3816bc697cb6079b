import { createHash, type Hash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ImageStoreError } from './image-store-error.ts';

/** Content that has been written to disk, but is not in the store yet. */
export interface StagedContent {
  readonly path: string;
  /** `sha256:…` */
  readonly digest: string;
  readonly size: number;
}

const digestPattern = /^sha256:[0-9a-f]{64}$/;
/** Maximum size of a manifest or configuration, in bytes. */
const maxText = 4 * 1024 * 1024;

/** Content-addressed storage on disk. Several processes can use it at the same time. */
export class ContentStore {
  readonly #blobs: string;
  readonly #staging: string;

  constructor(root: string) {
    this.#blobs = join(root, 'blobs', 'sha256');
    this.#staging = join(root, 'staging');
    for (const folder of [this.#blobs, this.#staging]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Returns true if the store has content with this digest.
   *
   * @param size - the expected size; content of another size counts as missing.
   */
  has(digest: string, size?: number): boolean {
    const found = statSync(this.path(digest), { throwIfNoEntry: false });
    return found !== undefined && (size === undefined || found.size === size);
  }

  /** Returns the path of the content with this digest. @throws ImageStoreError if the digest is not a SHA-256 digest */
  path(digest: string): string {
    if (digestPattern.test(digest)) return join(this.#blobs, digest.slice('sha256:'.length));
    throw new ImageStoreError({ what: `cannot use the digest "${digest}"`, why: 'only sha256 digests are supported' });
  }

  /** Reads a manifest or configuration. @throws ImageStoreError if it is missing, damaged or too large */
  async text(digest: string): Promise<string> {
    const path = this.path(digest);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw missing(digest);
    if (size > maxText)
      throw new ImageStoreError({ what: `cannot read ${digest}`, why: 'the content is larger than 4 MiB' });
    const text = await readFile(path);
    this.#expect(digest, createHash('sha256').update(text));
    return text.toString('utf8');
  }

  /**
   * Reads content completely.
   *
   * @throws ImageStoreError if it is missing or damaged; damaged content is removed, so that the next pull replaces it
   */
  async check(digest: string): Promise<void> {
    if (!this.has(digest)) throw missing(digest);
    const hash = createHash('sha256');
    await pipeline(createReadStream(this.path(digest)), hash);
    this.#expect(digest, hash);
  }

  /** Writes content to disk and computes its digest. Only {@link keep} adds it to the store. */
  async stage(content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
    const path = join(mkdtempSync(join(this.#staging, 'content-')), 'content');
    const hash = createHash('sha256');
    let size = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array, void> {
      for await (const piece of content) {
        hash.update(piece);
        size += piece.length;
        yield piece;
      }
    };
    try {
      // Without the flush, a crash of the machine can leave an empty file with the name of the complete file.
      await pipeline(counted, createWriteStream(path, { mode: 0o600, flush: true }));
    } catch (error) {
      rmSync(dirname(path), { recursive: true, force: true });
      throw error;
    }
    return { path, digest: `sha256:${hash.digest('hex')}`, size };
  }

  /**
   * Moves staged content into the store. Replaces an existing copy, which may be damaged.
   *
   * @throws ImageStoreError if its digest differs from the expected digest
   */
  keep({ path, digest }: StagedContent, expected: string): void {
    if (digest !== expected) {
      throw new ImageStoreError({
        what: `the content of ${expected} is damaged`,
        why: `the content has the digest ${digest}`,
      });
    }
    renameSync(path, this.path(digest));
  }

  /** Adds short content to the store. Returns its digest and size. */
  async add(content: string | Uint8Array): Promise<{ readonly digest: string; readonly size: number }> {
    const staged = await this.stage(
      (async function* () {
        yield typeof content === 'string' ? Buffer.from(content) : content;
      })(),
    );
    this.keep(staged, staged.digest);
    this.discard([staged]);
    return staged;
  }

  /** Removes staged content that was not kept. */
  discard(staged: Iterable<StagedContent>): void {
    for (const { path } of staged) rmSync(dirname(path), { recursive: true, force: true });
  }

  /** Removes content. Does nothing if it is missing. */
  remove(digest: string): void {
    rmSync(this.path(digest), { force: true });
  }

  /** Removes all content except the given digests. Returns the number of bytes freed. */
  removeExcept(used: ReadonlySet<string>): number {
    let bytes = 0;
    for (const name of readdirSync(this.#blobs)) {
      if (used.has(`sha256:${name}`)) continue;
      bytes += statSync(join(this.#blobs, name)).size;
      rmSync(join(this.#blobs, name), { force: true });
    }
    return bytes;
  }

  #expect(digest: string, hash: Hash): void {
    const actual = `sha256:${hash.digest('hex')}`;
    if (actual === digest) return;
    this.remove(digest);
    throw new ImageStoreError({
      what: `${digest} in the image store is damaged`,
      why: `the content has the digest ${actual}`,
      remedy: 'load or pull the image again',
    });
  }
}

function missing(digest: string): ImageStoreError {
  return new ImageStoreError({
    what: `cannot read ${digest}`,
    why: 'the image store does not contain this digest',
    remedy: 'load or pull the image again',
  });
}
