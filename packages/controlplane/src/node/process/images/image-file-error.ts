/** A file of mapped images, or one of its entries, cannot be used; the message says where it is wrong. */
export class ImageFileError extends Error {
  readonly code = 'KW5205';

  constructor(path: string, reason: string, options?: { readonly cause?: unknown }) {
    super(`${path} cannot be used as an image map: ${reason}`, options);
    this.name = 'ImageFileError';
  }
}
