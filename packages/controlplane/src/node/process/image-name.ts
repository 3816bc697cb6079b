import { parseImageReference } from '@kubewright/apimachinery';

/** The parts of an image reference that choose a program. */
export interface ImageName {
  /** The path, with registry and library folder cut: `docker.io/library/postgres` → `postgres`, `team/app` stays. */
  readonly repository: string;
  /** `latest` when absent. */
  readonly tag: string;
  /** The reference names a tag, or a digest. */
  readonly isTagged: boolean;
}

/**
 * Reads an image reference.
 *
 * @throws ImageReferenceError when it is none.
 */
export function imageNameOf(image: string): ImageName {
  const { path, tag, digest } = parseImageReference(image);
  const isTagged = tag !== undefined || digest !== undefined;
  return { repository: path.replace(/^library\//, ''), tag: tag ?? 'latest', isTagged };
}
