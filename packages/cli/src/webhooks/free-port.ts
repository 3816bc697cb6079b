import { createServer } from 'node:net';

/** The range is below the ephemeral ports, so no connection takes the operator's port during a restart. */
const firstPort = 10_000;
const portCount = 20_000;

/**
 * Returns a free port; the operator listens on it at each start.
 *
 * @param options.except - a port that was chosen earlier and has no listener yet
 */
export async function freePort({ except }: { readonly except?: number | undefined } = {}): Promise<number> {
  for (let turn = 0; turn < 100; turn++) {
    // Concurrent starts have different process IDs, so they try different ports first.
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
