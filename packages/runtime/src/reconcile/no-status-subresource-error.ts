import {
  apiVersionOf,
  isNotFound,
  type Kind,
  type KubernetesObject,
  KubewrightError,
  objectKey,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { UndeclaredStatusFieldError, undeclaredStatusFields } from './undeclared-status-field-error.ts';

/**
 * Thrown when setting the status of an object whose kind has no status subresource; the server responds as if the object did not
 * exist.
 */
export class NoStatusSubresourceError extends KubewrightError {
  override readonly name = 'NoStatusSubresourceError';
  /** Retry once the CustomResourceDefinition is fixed. */
  readonly code = 'KW3043';

  constructor(kind: Kind<KubernetesObject>, name: string, options: { readonly cause: unknown }) {
    const { version } = kind;
    super(
      {
        what: `cannot set the status of ${kind.kind} ${name} (${apiVersionOf(kind)})`,
        why: 'this kind has no status subresource',
        remedy: `add \`subresources: { status: {} }\` to version ${version} in its CustomResourceDefinition`,
      },
      options,
    );
  }
}

/** Writes the status of an object and explains rejections: a kind without the subresource, or undeclared fields. */
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
    const { name = '' } = of.object.metadata;
    const fields = undeclaredStatusFields(error);
    if (fields.length > 0) throw new UndeclaredStatusFieldError(of.kind, { name, fields, cause: error });
    if (isNotFound(error) && (await isThere(of))) {
      throw new NoStatusSubresourceError(of.kind, name, { cause: error });
    }
    throw error;
  }
}

/** Reports whether the object still exists. False if the server cannot tell, so that the original error stands. */
async function isThere({ client, kind, object, signal }: Parameters<typeof writingStatus>[1]): Promise<boolean> {
  try {
    const { metadata } = await client.metadata(kind).get(objectKey(object), { signal });
    return metadata.uid === object.metadata.uid;
  } catch {
    return false;
  }
}
