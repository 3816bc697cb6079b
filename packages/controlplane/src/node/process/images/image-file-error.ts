import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if an image file or one of its entries is invalid. The message locates the mistake. */
export class ImageFileError extends KubewrightError {
  override readonly name = 'ImageFileError';
  readonly code = 'KW5205';

  constructor(path: string, reason: string, options?: { readonly cause?: unknown }) {
    super({ what: `${path} is not a valid image map`, why: reason }, options);
  }
}
