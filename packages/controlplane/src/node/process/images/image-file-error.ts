/** Thrown if an image file or one of its entries is invalid. The message says where the mistake is. */
export class ImageFileError extends Error {
  readonly code = 'KW5205';

  constructor(path: string, reason: string, options?: { readonly cause?: unknown }) {
    super(`${path} is not a valid image map: ${reason}`, options);
    this.name = 'ImageFileError';
  }
}
