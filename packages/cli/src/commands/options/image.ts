import { parseImageReference } from '@kubewright/apimachinery/internal';
import { InvalidArgumentError } from 'commander';

/** Validates an image reference as a node's container runtime does. */
export function imageReference(text: string): string {
  try {
    parseImageReference(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(
      `It is not a valid image: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

/**
 * Validates the reference of an image to be built locally. It must not contain a digest, which is unknown before the
 * build.
 */
export function imageToLoad(text: string): string {
  if (parseImageReference(imageReference(text)).digest === undefined) return text;
  throw new InvalidArgumentError('It must not have a digest, because the image is built by this command.');
}
