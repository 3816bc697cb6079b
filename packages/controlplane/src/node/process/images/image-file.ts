import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ImageName, imageNameOf } from '../image-name.ts';
import type { ImageSource } from '../image-program.ts';
import { imageEntry } from './image-entry.ts';
import { ImageFileError } from './image-file-error.ts';

/** Maximum size of an image file, in bytes. */
const maxBytes = 1024 * 1024;

/** Images by repository, then by tag; `*` stands for every tag without an entry. */
interface Content {
  readonly images: ReadonlyMap<string, ReadonlyMap<string, ImageSource>>;
  /** Keys that are not image references, with the reason. */
  readonly unknown: readonly string[];
}

/**
 * A user's own images, in a JSON file that is reread whenever it changes:
 *
 * ```json
 * { "team/app": { "like": "node", "command": ["node", "./server.js"], "env": { "PORT": "8080" } } }
 * ```
 *
 * A name with a tag means only that tag; a name without a tag means every tag that has no entry. `like` names the image whose
 * program and entry point are used (default: the machine's commands, as for `busybox`). `command` and `args` are the image's own;
 * items that begin with `./` are relative to the file. `folder` contains everything that the program needs and comes first in
 * PATH. `stopSignal` has the same meaning as in an image. Programs by absolute path are rejected unless `allowHostPrograms` is
 * set. An invalid entry affects only its own image.
 */
export class ImageFile {
  readonly path: string;
  readonly #allowHostPrograms: boolean;
  readonly #builtIn: ReadonlyMap<string, ImageSource>;
  #read: { readonly version: string; readonly content: Content } | undefined;

  /** @param options - `builtIn`: the images that entries can name with `like`. */
  constructor(
    path: string,
    options: { readonly allowHostPrograms: boolean; readonly builtIn: readonly ImageSource[] },
  ) {
    this.path = resolve(path);
    this.#builtIn = new Map(options.builtIn.map((source) => [source.repository, source]));
    this.#allowHostPrograms = options.allowHostPrograms;
  }

  /** Returns an image, or `undefined` if the file does not contain it. @throws ImageFileError if the file is invalid */
  source({ repository, tag }: ImageName): ImageSource | undefined {
    const tags = this.#content()?.images.get(repository);
    return tags?.get(tag) ?? tags?.get('*');
  }

  /** Returns the tags of a repository that have entries, sorted. @throws ImageFileError if the file is invalid */
  tags(repository: string): readonly string[] {
    return [...(this.#content()?.images.get(repository)?.keys() ?? [])].filter((tag) => tag !== '*').sort();
  }

  /** Returns the keys that are not image references, with the reason. @throws ImageFileError if the file is invalid */
  unknown(): readonly string[] {
    return this.#content()?.unknown ?? [];
  }

  #content(): Content | undefined {
    const version = this.#version();
    if (version === undefined) return undefined;
    if (this.#read?.version !== version) this.#read = { version, content: this.#parse() };
    return this.#read.content;
  }

  #version(): string | undefined {
    try {
      const { mtimeMs, size, ino, mode } = statSync(this.path);
      if (mode & 0o002)
        this.#fail(`the file is world-writable, so any user could run programs as you; run chmod o-w ${this.path}`);
      if (size > maxBytes) this.#fail('the file is larger than 1 MiB');
      return [mtimeMs, size, ino].join();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #parse(): Content {
    let entries: unknown;
    try {
      entries = JSON.parse(readFileSync(this.path, 'utf8'));
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause.message : String(cause), cause);
    }
    if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
      this.#fail('the file must contain a JSON object with image names as keys');
    }
    const images = new Map<string, Map<string, ImageSource>>();
    const unknown: string[] = [];
    for (const [image, entry] of Object.entries(entries)) {
      let name: ImageName;
      try {
        name = imageNameOf(image);
      } catch (error) {
        unknown.push(`"${image}" (${error instanceof Error ? error.message : String(error)})`);
        continue;
      }
      const tags = images.get(name.repository) ?? new Map<string, ImageSource>();
      images.set(name.repository, tags);
      tags.set(name.isTagged ? name.tag : '*', this.#source(image, { name, entry }));
    }
    return { images, unknown };
  }

  /** Returns the image of an entry. If the entry is invalid, pulling the image fails with the error. */
  #source(image: string, { name, entry }: { readonly name: ImageName; readonly entry: unknown }): ImageSource {
    const { repository } = name;
    const context = { file: this.path, image, builtIn: this.#builtIn, allowHostPrograms: this.#allowHostPrograms };
    try {
      return imageEntry(entry, { ...context, repository });
    } catch (error) {
      return { repository, find: () => Promise.reject(error) };
    }
  }

  #fail(reason: string, cause?: unknown): never {
    throw new ImageFileError(this.path, reason, { cause });
  }
}
