import { parseImageName } from './image-name.ts';
import type { ImageProgram, ImageSource } from './image-program.ts';

/** An image cannot be run here: the kubelet's reasons, with what to do. */
export class ImageError extends Error {
  readonly code = 'KW5201';
  readonly reason: 'ErrImagePull' | 'InvalidImageName';

  constructor(reason: 'ErrImagePull' | 'InvalidImageName', message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ImageError';
    this.reason = reason;
  }
}

/**
 * Image name → local program. Only images in the map run; a pod with another one waits in ErrImagePull, as it would on
 * a node that cannot reach the registry.
 */
export class ImageMap {
  readonly #sources = new Map<string, ImageSource>();
  readonly #found = new Map<string, Promise<ImageProgram>>();

  constructor(sources: readonly ImageSource[]) {
    for (const source of sources) this.#sources.set(source.repository, source);
  }

  /**
   * Finds the program for an image; looked for once for each image.
   *
   * @throws {@link ImageError} when the name is malformed, not in the map, or its program is not on this machine.
   */
  async resolve(image: string): Promise<ImageProgram> {
    const name = parseImageName(image);
    if (name === undefined) {
      throw new ImageError(
        'InvalidImageName',
        `Failed to apply default image tag "${image}": couldn't parse image name`,
      );
    }
    const source = this.#sources.get(name.repository);
    if (source === undefined) throw this.#unmapped(image);
    const key = `${name.repository}:${name.tag}`;
    let found = this.#found.get(key);
    if (found === undefined) {
      found = source.find(name.tag);
      this.#found.set(key, found);
      // A program that is missing now may be installed before the next try.
      found.catch(() => this.#found.delete(key));
    }
    try {
      return await found;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ImageError('ErrImagePull', `image "${image}" cannot run on this machine: ${reason}`, { cause: error });
    }
  }

  #unmapped(image: string): ImageError {
    const known = [...this.#sources.keys()].sort().join(', ');
    return new ImageError(
      'ErrImagePull',
      `image "${image}" is not in this node's image map (it has ${known}); containers are local processes here: add an ImageSource for it to the cluster's \`images\`, or use one of these`,
    );
  }
}
