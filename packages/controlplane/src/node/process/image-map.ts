import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { KubewrightError } from '@kubewright/apimachinery';
import { type ImageName, imageNameOf } from './image-name.ts';
import type { ImageProgram, ImageSource } from './image-program.ts';
import type { ImageFile } from './images/image-file.ts';
import { hostProgram } from './images/shell-program.ts';

/** Thrown if an image cannot be run on this node. The error contains the kubelet's reason and a remedy. */
export class ImageError extends KubewrightError {
  override readonly name = 'ImageError';
  readonly code = 'KW5201';
  readonly reason: 'ErrImagePull' | 'InvalidImageName';

  constructor(reason: 'ErrImagePull' | 'InvalidImageName', message: string, options?: { readonly cause?: unknown }) {
    super({ what: message }, options);
    this.reason = reason;
  }
}

/** Options for {@link ImageMap}. */
export interface ImageMapOptions {
  /** The user's own images, which take precedence over all others. */
  readonly file?: ImageFile | undefined;
  /** Allows an image to be the absolute path of a program on this machine. @defaultValue false */
  readonly allowHostPrograms?: boolean | undefined;
}

/**
 * Maps image names to local programs. Only images in the map run; a pod with any other image waits in ErrImagePull, as on a node
 * that cannot reach the registry.
 */
export class ImageMap {
  readonly #sources = new Map<string, ImageSource>();
  readonly #options: ImageMapOptions;
  readonly #found = new WeakMap<ImageSource, Map<string, Promise<ImageProgram>>>();

  constructor(sources: readonly ImageSource[], options: ImageMapOptions = {}) {
    for (const source of sources) this.#sources.set(source.repository, source);
    this.#options = options;
  }

  /**
   * Returns the program for an image. The search runs once per image.
   *
   * @throws {@link ImageError} if the name is malformed, not in the map, or its program is not on this machine.
   */
  async resolve(image: string): Promise<ImageProgram> {
    if (isAbsolute(image)) return this.#hostProgram(image);
    let name: ImageName;
    try {
      name = imageNameOf(image);
    } catch (error) {
      throw new ImageError('InvalidImageName', malformed(image, error), { cause: error });
    }
    let source: ImageSource | undefined;
    try {
      source = this.#options.file?.source(name) ?? this.#sources.get(name.repository);
      if (source !== undefined) return await this.#find(source, name.tag);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ImageError('ErrImagePull', `image "${image}" cannot run on this node: ${reason}`, { cause: error });
    }
    throw this.#unmapped(image, name.repository);
  }

  #find(source: ImageSource, tag: string): Promise<ImageProgram> {
    const tags = this.#found.get(source) ?? new Map<string, Promise<ImageProgram>>();
    this.#found.set(source, tags);
    let found = tags.get(tag);
    if (found === undefined) {
      found = source.find(tag);
      tags.set(tag, found);
      // A missing program may be installed before the next attempt.
      found.catch(() => tags.delete(tag));
    }
    return found;
  }

  #hostProgram(image: string): ImageProgram {
    if (!this.#options.allowHostPrograms) {
      const what = 'host programs can be run by path only if the node is started with --allow-host-programs';
      throw new ImageError('InvalidImageName', `${malformed(image, 'invalid reference format')}; ${what}`);
    }
    if (statSync(image, { throwIfNoEntry: false })?.isFile()) return hostProgram(image);
    throw new ImageError('ErrImagePull', `image "${image}" cannot run on this node: no such file`);
  }

  #unmapped(image: string, repository: string): ImageError {
    const { file } = this.#options;
    const tags = file?.tags(repository) ?? [];
    if (tags.length > 0) {
      const loaded = tags.map((tag) => `${repository}:${tag}`).join(', ');
      return new ImageError(
        'ErrImagePull',
        `image "${image}" is not loaded on this node: loaded tags are ${loaded}; run kubewright build --load ${image}, or use one of the loaded tags`,
      );
    }
    const known = [...this.#sources.keys()].sort().join(', ');
    const example = `{"${repository}": {"like": "node", "command": ["node", "./server.js"]}}`;
    const how = file
      ? `add an entry to ${file.path}, for example ${example} (the file is reread at the next pull)`
      : "add an ImageSource to the node's `images`";
    const wrong = file?.unknown() ?? [];
    const also = wrong.length > 0 ? ` (invalid image names in this file: ${wrong.join(', ')})` : '';
    return new ImageError(
      'ErrImagePull',
      `image "${image}" cannot run on this node: no program is mapped to this image (mapped images: ${known}); ${how}${also}, or use a mapped image`,
    );
  }
}

/** Returns the kubelet's message. */
function malformed(image: string, cause: unknown): string {
  const why = cause instanceof Error ? cause.message : String(cause);
  return `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`;
}
