import { existsSync } from 'node:fs';
import type { ImageConfig } from '../../images/image-manifest.ts';
import { completeName, type ImageStore } from '../../images/image-store.ts';
import type { ImageReference } from '../driver.ts';
import { ImageError } from '../process/image-map.ts';

/** An image that containers can run. */
export interface OpenedImage {
  readonly config: ImageConfig;
  /** Folder with the image's files. */
  readonly root: string;
}

type NamedImage = NonNullable<ReturnType<ImageStore['find']>>;

/** The images of the local store, each unpacked once. */
export class StoredImages {
  readonly #store: ImageStore;
  readonly #firstId: number | undefined;
  readonly #opened = new Map<string, Promise<OpenedImage>>();

  /** @param options - `firstId`: id on this machine of the image's user 0; `undefined` if this process's user owns all files. */
  constructor(store: ImageStore, { firstId }: { readonly firstId: number | undefined }) {
    this.#store = store;
    this.#firstId = firstId;
  }

  /** Returns true if an image is in the store; false if the name is malformed. */
  has(image: string): boolean {
    try {
      return this.#store.find(image) !== undefined;
    } catch {
      return false;
    }
  }

  /** @throws ImageError if the name is malformed, or the image is not in the store or damaged */
  async resolve(image: string): Promise<ImageReference> {
    const { digest, pulled } = this.#find(image);
    await this.open(image);
    const [name = ''] = completeName(image).split(/@|:(?=[^/]*$)/);
    return { image, imageId: `${name}@${pulled ?? digest}` };
  }

  /** Returns an image's files and configuration, unpacked if necessary. @throws ImageError as {@link resolve} does */
  async open(image: string): Promise<OpenedImage> {
    const { digest } = this.#find(image);
    const known = await this.#opened.get(digest);
    // The image may have been removed from the store and loaded again.
    if (known && existsSync(known.root)) return known;
    const opened = this.#open(image, digest);
    this.#opened.set(digest, opened);
    opened.catch(() => this.#opened.delete(digest));
    return opened;
  }

  async #open(image: string, digest: string): Promise<OpenedImage> {
    try {
      const config = await this.#store.config(digest);
      return { config, root: await this.#store.root(digest, { firstId: this.#firstId }) };
    } catch (error) {
      throw new ImageError('ErrImagePull', `failed to unpack image "${image}": ${messageOf(error)}`, { cause: error });
    }
  }

  #find(image: string): NamedImage {
    let found: NamedImage | undefined;
    try {
      found = this.#store.find(image);
    } catch (error) {
      // The kubelet's message.
      const what = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${messageOf(error)}`;
      throw new ImageError('InvalidImageName', what, { cause: error });
    }
    if (found) return found;
    throw new ImageError(
      'ErrImagePull',
      `failed to pull image "${image}": it is not in the image store, and this node does not pull from registries; load it (kubewright images load FILE)`,
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
