import { systemClock } from '@kubewright/apimachinery';
import { jsonLogger } from '@kubewright/runtime';
import { MetricsEndpoint, type MetricsEndpointOptions } from './metrics-endpoint.ts';
import { type MetricsServer, PoolerError, PoolerManager } from './pooler-manager.ts';

/** Runs PgBouncer until SIGTERM or SIGINT. Returns the exit code. */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const log = jsonLogger();
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  const {
    POD_IP: address = '',
    POOLER_FOLDER: folder = '',
    CLUSTER_NAME: cluster = '',
    POOLER_NAME: pooler = '',
  } = env;
  try {
    if (address === '' || folder === '') throw new PoolerError('cannot start: POD_IP and POOLER_FOLDER must be set');
    const serveMetrics = (parts: Pick<MetricsEndpointOptions, 'sockets' | 'files'>): Promise<MetricsServer> =>
      MetricsEndpoint.start({ address, cluster, pooler, log, ...parts });
    await new PoolerManager({ address, folder, env, clock: systemClock, log, serveMetrics }).run(stop.signal);
    return 0;
  } catch (error) {
    if (!(error instanceof PoolerError)) throw error;
    // The last line of the log becomes the container's termination message.
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

process.exitCode = await main(process.env);
