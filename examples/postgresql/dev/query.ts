import { type Clock, sleep } from '@kubewright/apimachinery';
import pg from 'pg';

/** The address of a server, and the credentials. */
export interface Login {
  readonly host: string;
  readonly user: string;
  readonly password: string;
}

/** SQLSTATE of a server that is listening but not ready yet. */
const cannotConnectNow = '57P03';
const pauseMs = 50;

/** Logs in over TCP with the password, as any application would, and queries the server's version. */
export async function askVersion(
  login: Login,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string> {
  for (;;) {
    try {
      return await ask(login);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== cannotConnectNow) throw error;
    }
    await sleep(clock, { ms: pauseMs, signal });
  }
}

async function ask({ host, user, password }: Login): Promise<string> {
  const client = new pg.Client({ host, port: 5432, user, password, database: user, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string }>('SELECT version()');
    // Removes the platform and the compiler.
    return (rows[0]?.version ?? '').replace(/ on .*$/, '');
  } finally {
    await client.end();
  }
}
