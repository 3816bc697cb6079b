import type { Logger } from '@kubewright/runtime';
import { exposition } from '../../metrics/exposition.ts';
import { instanceMetrics } from '../../metrics/instance-metrics.ts';
import { SqlSession } from '../sql/sql-session.ts';
import { instanceSamples, type SamplesInput } from './instance-samples.ts';
import { serverStatistics } from './server-statistics.ts';

/** Collects the metrics over a separate connection, so that slow statistics queries do not delay decisions. */
export class InstanceScrape implements AsyncDisposable {
  readonly #log: Logger;
  readonly #sql: SqlSession;
  #running: Promise<string> | undefined;

  constructor({ socketDirectory, log }: { readonly socketDirectory: string; readonly log: Logger }) {
    this.#log = log;
    this.#sql = new SqlSession({
      host: socketDirectory,
      user: 'postgres',
      database: 'postgres',
      application_name: 'metrics',
    });
  }

  /** Returns the metrics in Prometheus's text format. Concurrent scrapes share one result. */
  text(input: Omit<SamplesInput, 'statistics'>): Promise<string> {
    this.#running ??= this.#scrape(input).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#sql[Symbol.asyncDispose]();
  }

  async #scrape(input: Omit<SamplesInput, 'statistics'>): Promise<string> {
    const statistics =
      input.report.state === 'running'
        ? await serverStatistics(this.#sql).catch((error: unknown) => {
            this.#log.warn('cannot read the server statistics', { error });
            return undefined;
          })
        : undefined;
    return exposition(instanceMetrics, instanceSamples({ ...input, statistics }));
  }
}
