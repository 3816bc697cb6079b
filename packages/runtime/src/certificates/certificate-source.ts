import type { Clock, KeyPair } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';

/** What is counted of certificates read from files; controller-runtime's `certwatcher_*` are made from it. */
export interface CertificateMetrics {
  read(): void;
  failed(): void;
}

/** What a {@link CertificateSource} is given by the server that it serves. */
export interface CertificateParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The port that the server has bound. */
  readonly port: number;
  /** Names (`<plural>.<group>`) of the CustomResourceDefinitions whose objects the server converts. */
  readonly converts: readonly string[];
  readonly client?: KubernetesClient;
  readonly metrics?: CertificateMetrics;
  /** Serves new connections with this pair from now on. */
  readonly publish: (pair: KeyPair) => void;
}

/**
 * Where a server's certificate comes from: `certificateFiles`, `ownAuthority` or `selfSigned`. A declaration; the server
 * runs it.
 */
export interface CertificateSource {
  /**
   * Publishes a first pair, and others as they come, until `signal` is aborted. The server answers nobody before the first.
   *
   * @throws CertificateError (KW3030) when there cannot be one; the server, and with it the manager, ends.
   */
  run(parts: CertificateParts, signal: AbortSignal): Promise<void>;
}
