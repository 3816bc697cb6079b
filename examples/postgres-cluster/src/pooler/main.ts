import { systemClock } from '@kubewright/apimachinery';
import { jsonLogger } from '@kubewright/runtime';
import { PoolerError, PoolerManager } from './pooler-manager.ts';

/** Runs PgBouncer until SIGTERM or SIGINT. Returns the exit code. */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const log = jsonLogger();
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  const { POD_IP: address = '', POOLER_FOLDER: folder = '' } = env;
  try {
    if (address === '' || folder === '') throw new PoolerError('cannot start: POD_IP and POOLER_FOLDER must be set');
    await new PoolerManager({ address, folder, env, clock: systemClock, log }).run(stop.signal);
    return 0;
  } catch (error) {
    if (!(error instanceof PoolerError)) throw error;
    // The last line of the log becomes the container's termination message.
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

process.exitCode = await main(process.env);
