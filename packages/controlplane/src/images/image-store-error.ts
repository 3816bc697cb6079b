import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if an image, its archive or the image store cannot be used. */
export class ImageStoreError extends KubewrightError {
  override readonly name = 'ImageStoreError';
  readonly code = 'KW5231';
}
