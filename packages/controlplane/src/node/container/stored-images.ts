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

type PullOptions = Parameters<ImageStore['pull']>[1];
type NamedImage = NonNullable<ReturnType<ImageStore['find']>>;

/** The images of the local store, each unpacked once. */
export class StoredImages {
  readonly #store: ImageStore;
  readonly #firstId: number | undefined;
  #pulls: Promise<unknown> = Promise.resolve();
  readonly #opened = new Map<string, Promise<OpenedImage>>();

  /**
   * @param options - `firstId`: the id on this machine that the image's user 0 is mapped to; `undefined` if this process's user
   * owns all files.
   */
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

  /** Returns true if an image was loaded by hand instead of pulled. */
  isLoaded(image: string): boolean {
    return this.has(image) && this.#find(image).pulled === undefined;
  }

  /** Pulls an image once all earlier pulls have ended, as a kubelet does. @throws ImageError if the pull fails */
  pull(image: string, options: PullOptions): Promise<ImageReference> {
    const pulled = this.#pulls.then(() => this.#pull(image, options));
    this.#pulls = pulled.catch(() => undefined);
    return pulled;
  }

  async #pull(image: string, options: PullOptions): Promise<ImageReference> {
    try {
      completeName(image);
    } catch (error) {
      throw invalidName(image, error);
    }
    let size: number;
    try {
      ({ size } = await this.#store.pull(image, options));
    } catch (error) {
      const why = `failed to pull image "${image}": ${messageOf(error)}`;
      const remedy = 'to load the image from an archive, run kubewright images load FILE';
      throw new ImageError('ErrImagePull', `${why}; ${remedy}`, { cause: error });
    }
    return { ...(await this.resolve(image)), pulledBytes: size };
  }

  /**
   * Returns the reference of an image. @throws ImageError if the name is malformed, or the image is not in the store or damaged
   */
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
      throw invalidName(image, error);
    }
    if (found) return found;
    throw new ImageError(
      'ErrImagePull',
      `failed to pull image "${image}": the image store does not contain this image; run kubewright images load FILE or kubewright images pull ${image}`,
    );
  }
}

function invalidName(image: string, error: unknown): ImageError {
  // The kubelet's message.
  const what = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${messageOf(error)}`;
  return new ImageError('InvalidImageName', what, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
