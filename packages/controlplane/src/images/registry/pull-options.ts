import type { Clock, Random } from '@kubewright/apimachinery';
import type { PullSecret } from './pull-secret.ts';

/** Options for pulling an image. */
export interface PullOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Environment variables with the paths of docker's configuration and of certificates. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Secrets with credentials, used before those in docker's configuration. @defaultValue none */
  readonly secrets?: readonly PullSecret[] | undefined;
  /** File with further certificate authorities (PEM). */
  readonly caFile?: string | undefined;
  /**
   * Registries that do not use HTTPS, in addition to those on this machine: `registry.example:5000`. @defaultValue none
   */
  readonly plainHttp?: readonly string[] | undefined;
  /** Called when a layer has been downloaded. */
  readonly onLayer?: ((layer: { readonly digest: string; readonly size: number }) => void) | undefined;
}
