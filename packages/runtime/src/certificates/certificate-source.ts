import type { Clock } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';

/** Counters for certificates read from files; exported as controller-runtime's `certwatcher_*` metrics. */
export interface CertificateMetrics {
  read(): void;
  failed(): void;
}

/** The dependencies that a server passes to its {@link CertificateSource}. */
export interface CertificateParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The port that the server is bound to. */
  readonly port: number;
  /** Names (`<plural>.<group>`) of the CustomResourceDefinitions whose objects the server converts. */
  readonly converts: readonly string[];
  readonly client?: KubernetesClient | undefined;
  readonly metrics?: CertificateMetrics | undefined;
  /** Serves new connections with the given pair. */
  readonly publish: (pair: KeyPair) => void;
}

/**
 * A source of a server's certificate: `certificateFiles`, `ownAuthority` or `selfSigned`. This is only a declaration; the server
 * runs it.
 *
 * @example
 * ```ts
 * const certificates: CertificateSource = process.env['LOCAL'] ? selfSigned() : certificateFiles();
 * const manager = new Manager({ controllers: [], webhooks: [rules], webhookServer: { certificates } });
 * ```
 */
export interface CertificateSource {
  /**
   * Publishes a first pair, and replacements as they appear, until `signal` is aborted. The server accepts no connection before
   * the first pair.
   *
   * @throws CertificateError (KW3030) when no certificate can be obtained; the server and the manager then stop.
   */
  run(parts: CertificateParts, signal: AbortSignal): Promise<void>;
}
