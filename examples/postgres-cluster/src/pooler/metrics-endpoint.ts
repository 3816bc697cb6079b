import type { Logger } from '@kubewright/runtime';
import { SqlSession } from '../instance/sql/sql-session.ts';
import type { KeyPair } from '../instance/status/certificates.ts';
import { StatusServer } from '../instance/status/status-server.ts';
import { exposition, expositionType } from '../metrics/exposition.ts';
import { poolerMetrics } from '../metrics/pooler-metrics.ts';
import type { PoolerFiles } from './pooler-files.ts';
import { poolerSamples } from './pooler-samples.ts';
import { consoleDatabase, type PoolerStatistics, poolerStatistics } from './pooler-statistics.ts';

export interface MetricsEndpointOptions {
  readonly address: string;
  readonly cluster: string;
  readonly pooler: string;
  /** Folder of PgBouncer's Unix socket. */
  readonly sockets: string;
  readonly files: PoolerFiles;
  readonly log: Logger;
}

/** Serves the metrics of one PgBouncer over HTTPS, to anyone, with the certificate that clients of PgBouncer see. */
export class MetricsEndpoint implements AsyncDisposable {
  readonly #options: MetricsEndpointOptions;
  readonly #sql: SqlSession;
  readonly #server: StatusServer;
  #isPaused: boolean;

  private constructor(
    options: MetricsEndpointOptions,
    parts: { readonly sql: SqlSession; readonly server: StatusServer },
  ) {
    this.#options = options;
    this.#sql = parts.sql;
    this.#server = parts.server;
    this.#isPaused = options.files.paused === 'true';
  }

  static async start(options: MetricsEndpointOptions): Promise<MetricsEndpoint> {
    const { address, sockets: host, files, log } = options;
    // On the Unix socket, PgBouncer lets the user that runs it into the admin console without a password.
    const sql = new SqlSession({ host, port: 5432, user: consoleDatabase, database: consoleDatabase });
    let endpoint: MetricsEndpoint | undefined;
    const handle = async () => ({ code: 200, text: { type: expositionType, content: (await endpoint?.text()) ?? '' } });
    const server = await StatusServer.start({
      address,
      certificates: certificatesOf(files),
      routes: [{ method: 'GET', path: /\/metrics/, callers: ['anyone'], handle }],
      log,
    });
    endpoint = new MetricsEndpoint(options, { sql, server });
    return endpoint;
  }

  /** Uses renewed certificates, and reports a changed pause. */
  update(files: PoolerFiles): void {
    this.#isPaused = files.paused === 'true';
    this.#server.renew(certificatesOf(files));
  }

  /** Returns the metrics in Prometheus's text format. */
  async text(): Promise<string> {
    const { cluster, pooler } = this.#options;
    const statistics = await this.#statistics();
    return exposition(poolerMetrics, poolerSamples({ cluster, pooler, isPaused: this.#isPaused, statistics }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.#sql[Symbol.asyncDispose]();
  }

  async #statistics(): Promise<PoolerStatistics | undefined> {
    try {
      return await poolerStatistics(this.#sql);
    } catch (error) {
      this.#options.log.warn('cannot read the statistics of PgBouncer', { error });
      return undefined;
    }
  }
}

function certificatesOf(files: PoolerFiles): { readonly server: KeyPair } {
  const { 'server.crt': certificate, 'server.key': key, 'ca.crt': authorities } = files;
  return { server: { certificate, key, authorities } };
}
