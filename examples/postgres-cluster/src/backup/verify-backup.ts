import { createHash } from 'node:crypto';
import { ArchiveError } from '../archive/archive-error.ts';
import type { ArchiveStore } from '../archive/archive-store.ts';
import { systemIDOf } from '../archive/control-file.ts';
import { decompressed } from '../archive/decompressed.ts';
import { backupFiles } from './archived-backup.ts';
import { type BackupManifest, parseManifest } from './backup-manifest.ts';
import { readTar } from './tar-reader.ts';

/** The manifest and identity of a backup whose files are intact. */
export interface VerifiedBackup extends BackupManifest {
  /** The manifest as PostgreSQL wrote it: incremental backups need it. */
  readonly text: string;
  readonly sizeBytes: number;
  /** Undefined if the backup does not contain the whole control file. */
  readonly systemID: string | undefined;
}

/**
 * Reads a backup from the archive, and compares its files with the backup manifest.
 *
 * @throws ArchiveError with the reason `Corrupted` if a file is missing or damaged
 */
export async function verifyBackup(store: ArchiveStore, id: string, signal: AbortSignal): Promise<VerifiedBackup> {
  const { data } = backupFiles(id);
  const stored = await store.get(data, { signal });
  if (!stored) throw new ArchiveError('Corrupted', `${data} is missing`);
  const found = new Map<string, { readonly sizeBytes: number; readonly sha256: string }>();
  let text = '';
  let systemID: string | undefined;
  let sizeBytes = 0;
  const content = decompressed(stored, data);
  try {
    for await (const entry of readTar(content, data)) {
      if (entry.type === 'folder') continue;
      const keep = entry.path === 'backup_manifest' || entry.path === 'global/pg_control';
      const hash = createHash('sha256');
      const kept: Buffer[] = [];
      for await (const chunk of entry.content) {
        hash.update(chunk);
        if (keep) kept.push(chunk);
      }
      sizeBytes += entry.sizeBytes;
      if (entry.path === 'backup_manifest') text = Buffer.concat(kept).toString();
      else found.set(entry.path, { sizeBytes: entry.sizeBytes, sha256: hash.digest('hex') });
      if (entry.path === 'global/pg_control') systemID = systemIDOf(Buffer.concat(kept));
    }
  } finally {
    content.destroy();
  }
  const manifest = parseManifest(text);
  for (const file of manifest.files) {
    const actual = found.get(file.path);
    const fault = !actual ? 'is missing' : actual.sha256 !== file.sha256 ? 'is damaged' : undefined;
    if (fault) throw new ArchiveError('Corrupted', `the file ${file.path} in ${data} ${fault}`);
  }
  return { ...manifest, text, systemID, sizeBytes };
}
