import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDirectory } from '../server/data-directory.ts';

/** A certificate, its key, and the CA certificates to trust, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
  readonly authorities: string;
}

export interface InstanceCertificates {
  readonly server: KeyPair;
  readonly client: KeyPair;
}

/** Reads the certificates from the mounted Secrets. */
export async function readCertificates(folders: {
  readonly server: string;
  readonly client: string;
}): Promise<InstanceCertificates> {
  const pair = async (folder: string): Promise<KeyPair> => {
    const [certificate, key, authorities] = await Promise.all(
      ['tls.crt', 'tls.key', 'ca.crt'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    return { certificate: certificate ?? '', key: key ?? '', authorities: authorities ?? '' };
  };
  return { server: await pair(folders.server), client: await pair(folders.client) };
}

/** Copies certificates into a folder that only the server's user can read, as PostgreSQL requires. */
export async function writeCertificates(
  { server, client }: InstanceCertificates,
  { data, folder }: { readonly data: DataDirectory; readonly folder: string },
): Promise<void> {
  await data.createFolder(folder);
  await data.write(join(folder, 'ca.crt'), server.authorities);
  await data.write(join(folder, 'server.crt'), server.certificate);
  await data.write(join(folder, 'server.key'), server.key);
  await data.write(join(folder, 'client.crt'), client.certificate);
  await data.write(join(folder, 'client.key'), client.key);
}
