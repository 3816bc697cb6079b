import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if an image cannot be pulled from its registry, or the credentials for registries cannot be read. */
export class RegistryError extends KubewrightError {
  override readonly name: string = 'RegistryError';
  readonly code = 'KW5232';
}

/**
 * Thrown if the registry or its token server rejects a request. Another credential may help, even if the registry says that the image
 * does not exist: many registries say so to users who may not read it.
 */
export class RegistryAccessError extends RegistryError {
  override readonly name = 'RegistryAccessError';
}
