import { KubewrightError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';

/** Thrown if an image cannot be pulled from or pushed to its registry, or the credentials for registries cannot be read. */
export class RegistryError extends KubewrightError {
  override readonly name: string = 'RegistryError';
  readonly code = 'KW5232';
}

/** Returns the error of a response with an unexpected status. */
export function rejection(status: number, text: ErrorText): RegistryError {
  return status >= 400 && status < 500 ? new RegistryAccessError(text) : new RegistryError(text);
}

/**
 * Thrown if the registry or its token server rejects a request. Another credential may help, even if the registry says
 * that the image does not exist: many registries hide images this way from users who may not read them.
 */
export class RegistryAccessError extends RegistryError {
  override readonly name = 'RegistryAccessError';
}

/** Returns what to do if the registry denies access. */
export function accessRemedy({ isPush }: { readonly isPush: boolean }): string {
  return isPush
    ? 'log in with docker login as a user who can write to the repository'
    : 'log in with docker login, or add a Secret to the imagePullSecrets of the pod';
}
