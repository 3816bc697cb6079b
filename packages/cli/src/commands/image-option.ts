import { parseImageReference } from '@kubewright/apimachinery';
import { InvalidArgumentError } from 'commander';

/** Checks the image that a flag names, as a node's container runtime would. */
export function imageReference(text: string): string {
  try {
    parseImageReference(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(`It is no image: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** The same for an image that is made here: its digest is not known yet. */
export function imageToLoad(text: string): string {
  if (parseImageReference(imageReference(text)).digest === undefined) return text;
  throw new InvalidArgumentError('It has a digest; name a tag.');
}
