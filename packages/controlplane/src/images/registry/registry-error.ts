import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if an image cannot be pulled from its registry, or the credentials for registries cannot be read. */
export class RegistryError extends KubewrightError {
  override readonly name = 'RegistryError';
  readonly code = 'KW5232';
}
