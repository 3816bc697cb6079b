import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path';
import { parseImageName } from '../image-name.ts';
import type { ImageProgram, ImageSource } from '../image-program.ts';
import { type MappedImage, mappedImage } from './mapped-image.ts';
import { shellImage } from './shell-program.ts';

/** A file of mapped images cannot be used; the message says where it is wrong. */
class ImageFileError extends Error {
  readonly code = 'KW5205';

  constructor(path: string, reason: string, options?: { readonly cause?: unknown }) {
    super(`${path} cannot be used as an image map: ${reason}`, options);
    this.name = 'ImageFileError';
  }
}

/** Larger files are no image maps, in bytes. */
const mostBytes = 1024 * 1024;
const knownFields = ['like', 'command', 'args', 'env', 'stopSignal', 'folder'];
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGKILL'];

/**
 * A user's own images, in a JSON file that is read again whenever it changes:
 *
 * ```json
 * { "team/app": { "like": "node", "command": ["node", "./server.js"], "env": { "PORT": "8080" } } }
 * ```
 *
 * `like` names the image whose program and entry point serve (default: the machine's commands, as `busybox`); `command`
 * and `args` are the image's own; what begins with `./` lies in the file's folder; `folder` is one of it with all that
 * the program needs; `stopSignal` as in an image. Programs by absolute path must be allowed.
 */
export class ImageFile {
  readonly path: string;
  readonly #allowHostPrograms: boolean;
  readonly #builtIn: ReadonlyMap<string, ImageSource>;
  #read: { readonly version: string; readonly sources: ReadonlyMap<string, ImageSource> } | undefined;

  /** @param options - `builtIn`: the images that others can be like. */
  constructor(
    path: string,
    options: { readonly allowHostPrograms: boolean; readonly builtIn: readonly ImageSource[] },
  ) {
    this.path = resolve(path);
    this.#builtIn = new Map(options.builtIn.map((source) => [source.repository, source]));
    this.#allowHostPrograms = options.allowHostPrograms;
  }

  /** The images by name; none where there is no file. @throws ImageFileError when it is there and wrong */
  sources(): ReadonlyMap<string, ImageSource> {
    const version = this.#version();
    if (version === undefined) return new Map();
    if (this.#read?.version !== version) this.#read = { version, sources: this.#parse() };
    return this.#read.sources;
  }

  #version(): string | undefined {
    try {
      const { mtimeMs, size, ino, mode } = statSync(this.path);
      if (mode & 0o002) this.#fail('everybody may write to it, and it says what runs here (chmod o-w)');
      if (size > mostBytes) this.#fail('it is larger than 1 MiB');
      return [mtimeMs, size, ino].join();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #parse(): ReadonlyMap<string, ImageSource> {
    let content: unknown;
    try {
      content = JSON.parse(readFileSync(this.path, 'utf8'));
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause.message : String(cause), cause);
    }
    if (!isObject(content)) this.#fail('it must hold an object of image names');
    const sources = Object.entries(content).map(([image, entry]) => this.#source(image, entry));
    return new Map(sources.map((source) => [source.repository, source]));
  }

  #source(image: string, entry: unknown): ImageSource {
    const repository = parseImageName(image)?.repository;
    if (repository === undefined) this.#fail(`"${image}" is no image name`);
    if (/[@:][^/]*$/.test(image)) this.#fail(`"${image}": leave the tag away, all tags run the same program`);
    if (!isObject(entry)) this.#fail(`"${image}" must be an object, such as {"command": ["./server"]}`);
    const wrong = Object.keys(entry).find((key) => !knownFields.includes(key));
    if (wrong !== undefined) this.#fail(`"${image}" has "${wrong}"; known are ${knownFields.join(', ')}`);
    const { like, command, args, env, stopSignal, folder } = entry;
    const described: MappedImage = {
      file: basename(this.path),
      ...this.#optional('like', { image, value: like, is: (value) => typeof value === 'string' && value !== '' }),
      ...this.#optional('command', { image, value: command, is: isWords }),
      ...this.#optional('args', {
        image,
        value: args,
        is: Array.isArray(args) && args.length === 0 ? isList : isWords,
      }),
      ...this.#optional('env', { image, value: env, is: isVariables }),
      ...this.#optional('stopSignal', { image, value: stopSignal, is: (value) => stopSignals.includes(String(value)) }),
      ...this.#optional('folder', { image, value: folder, is: (value) => typeof value === 'string' }),
    };
    if (described.like === undefined && described.command === undefined) {
      this.#fail(`"${image}" needs "like" (an image that this node has) or "command"`);
    }
    const [program = ''] = described.command ?? [];
    if (isAbsolute(program) && !this.#allowHostPrograms) {
      this.#fail(
        `"${image}" names ${program}, a program of this machine by its path, which needs --allow-host-programs; name one in PATH, or one beside the file as ./${basename(program)}`,
      );
    }
    const base = this.#base(image, described.like);
    return mappedImage(repository, { ...described, base, place: (word) => this.#place(image, word) });
  }

  #base(image: string, like: string | undefined): () => Promise<ImageProgram> {
    const name = like === undefined ? undefined : parseImageName(like);
    const source = like === undefined ? shellImage(image, ['sh']) : this.#builtIn.get(name?.repository ?? '');
    if (!source) {
      this.#fail(`"${image}" is to be like ${like}; it can be like ${[...this.#builtIn.keys()].sort().join(', ')}`);
    }
    return () => source.find(name?.tag ?? 'latest');
  }

  /** Where a word that begins with `./` is. */
  #place(image: string, word: string): string {
    const folder = dirname(this.path);
    const found = resolve(folder, word);
    if (found !== folder && !found.startsWith(folder + sep)) this.#fail(`"${image}": ${word} leads out of ${folder}`);
    return found;
  }

  #optional<K extends keyof MappedImage>(
    key: K,
    { image, value, is }: { readonly image: string; readonly value: unknown; readonly is: (value: unknown) => boolean },
  ): Pick<MappedImage, K> | undefined {
    if (value === undefined) return undefined;
    if (!is(value)) this.#fail(`"${key}" of "${image}" is ${JSON.stringify(value)?.slice(0, 100)}`);
    // It was looked at just now.
    return { [key]: value } as Pick<MappedImage, K>;
  }

  #fail(reason: string, cause?: unknown): never {
    throw new ImageFileError(this.path, reason, { cause });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0'));
}

function isWords(value: unknown): boolean {
  return isList(value) && Array.isArray(value) && value.length > 0 && value[0] !== '';
}

function isVariables(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([name, text]) => /^[^=\0]+$/.test(name) && isList([text]));
}
