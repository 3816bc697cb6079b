import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const names = ['pgbouncer.ini', 'paused', 'ca.crt', 'server.crt', 'server.key', 'client.crt', 'client.key'] as const;

/** The files of the pooler's Secret, which the operator writes. */
export type PoolerFiles = Readonly<Record<(typeof names)[number], string>>;

/** Reads the mounted Secret. */
export async function readPoolerFiles(folder: string): Promise<PoolerFiles> {
  const entries = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  // The entries cover all names.
  return Object.fromEntries(entries) as PoolerFiles;
}

/** Adds this pod's address and file paths to pgbouncer.ini. */
export function completeSettings(
  settings: string,
  { address, folder, sockets }: { readonly address: string; readonly folder: string; readonly sockets: string },
): string {
  const own = {
    listen_addr: address,
    unix_socket_dir: sockets,
    auth_file: join(sockets, 'users.txt'),
    client_tls_cert_file: join(folder, 'server.crt'),
    client_tls_key_file: join(folder, 'server.key'),
    server_tls_ca_file: join(folder, 'ca.crt'),
    server_tls_cert_file: join(folder, 'client.crt'),
    server_tls_key_file: join(folder, 'client.key'),
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}\n`);
  return `${settings.trimEnd()}\n${lines.join('')}`;
}
