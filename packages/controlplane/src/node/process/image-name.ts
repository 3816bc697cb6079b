import { parseImageReference } from '@kubewright/apimachinery/internal';

/** The parts of an image reference that select a program. */
export interface ImageName {
  /** The path without registry and library folder: `docker.io/library/postgres` → `postgres`; `team/app` is unchanged. */
  readonly repository: string;
  /** `latest` if absent. */
  readonly tag: string;
  /** True if the reference has a tag or digest. */
  readonly isTagged: boolean;
}

/**
 * Parses an image reference.
 *
 * @throws ImageReferenceError if it is invalid.
 */
export function imageNameOf(image: string): ImageName {
  const { path, tag, digest } = parseImageReference(image);
  const isTagged = tag !== undefined || digest !== undefined;
  return { repository: path.replace(/^library\//, ''), tag: tag ?? 'latest', isTagged };
}
