import { apiVersionOf, isNotFound, type Kind, type KubernetesObject, objectKey } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';

/** Thrown where a status is set of an object whose kind has no status subresource: the server answers as if it were gone. */
export class NoStatusSubresourceError extends Error {
  /** Names the class of failure; worth a retry once the kind's definition was changed. */
  readonly code = 'KW3043';

  constructor(kind: Kind<KubernetesObject>, name: string, options: { readonly cause: unknown }) {
    const { version } = kind;
    super(
      `cannot set the status of ${kind.kind} ${name} (${apiVersionOf(kind)}): this kind has no status subresource: add \`subresources: { status: {} }\` to the version ${version} in its CustomResourceDefinition`,
      options,
    );
    this.name = 'NoStatusSubresourceError';
  }
}

/** Writes the status of an object; tells an object that has gone from a kind that has no such subresource. */
export async function writingStatus<R>(
  write: () => Promise<R>,
  of: {
    readonly client: KubernetesClient;
    readonly kind: Kind<KubernetesObject>;
    readonly object: KubernetesObject;
    readonly signal: AbortSignal;
  },
): Promise<R> {
  try {
    return await write();
  } catch (error) {
    if (isNotFound(error) && (await isThere(of))) {
      const { name = '' } = of.object.metadata;
      throw new NoStatusSubresourceError(of.kind, name, { cause: error });
    }
    throw error;
  }
}

/** False also where nobody can say: then the first answer stands. */
async function isThere({ client, kind, object, signal }: Parameters<typeof writingStatus>[1]): Promise<boolean> {
  try {
    const { metadata } = await client.metadata(kind).get(objectKey(object), { signal });
    return metadata.uid === object.metadata.uid;
  } catch {
    return false;
  }
}
