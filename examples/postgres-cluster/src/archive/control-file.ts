import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the system identifier of a data directory. `initdb` chooses it, and all physical copies share it. */
export async function readSystemID(dataDirectory: string): Promise<string> {
  const file = await open(join(dataDirectory, 'global', 'pg_control'));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    if (bytesRead < 8) throw new Error(`${dataDirectory}/global/pg_control is incomplete`);
    return systemIDOf(buffer);
  } finally {
    await file.close();
  }
}

/** Returns the system identifier from the content of `pg_control`. */
export function systemIDOf(control: Buffer): string {
  return control.readBigUInt64LE(0).toString();
}
