import { createServer } from 'node:net';

/** Below the ephemeral port range: while the operator restarts, no connection must take its port. */
const firstPort = 10_000;
const portCount = 20_000;

/**
 * Returns a free port; the operator listens on it at each start.
 *
 * @param options.except - a port that was chosen earlier and has no listener yet
 */
export async function freePort({ except }: { readonly except?: number | undefined } = {}): Promise<number> {
  for (let turn = 0; turn < 100; turn++) {
    // Concurrent starts have different process ids.
    const port = firstPort + ((process.pid * 31 + turn) % portCount);
    if (port !== except && (await isFree(port))) return port;
  }
  throw new Error(`no free port for the operator: 100 ports starting at ${firstPort} are in use`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}
