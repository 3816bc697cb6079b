import { closeSync, constants, mkdirSync, openSync, readFileSync } from 'node:fs';
import { databaseFolder, markFile, objectPrefix, summaryKey } from './disk-layout.ts';
import { type DiskRecord, decodeRecord } from './disk-record.ts';
import { DiskStorageError, StorageCorruptError } from './disk-storage-error.ts';
import { type DiskSummary, decodeSummary, emptySummary } from './disk-summary.ts';
import { exportReadable } from './export-readable.ts';
import { type LevelDatabase, openLevel } from './level-database.ts';

/** The content of a store, checked against its summary. */
export interface LoadedDisk {
  readonly database: LevelDatabase;
  readonly summary: DiskSummary;
  readonly records: readonly DiskRecord[];
  /** File descriptor of the mark file, for the acknowledged revision. */
  readonly mark: number;
}

/**
 * Opens a store and reads its whole content.
 *
 * @throws {@link StorageCorruptError} if it is damaged, {@link DiskStorageError} if it cannot be opened.
 */
export async function loadDisk(directory: string): Promise<LoadedDisk> {
  const database = await open(directory);
  let mark: number | undefined;
  try {
    const records: DiskRecord[] = [];
    let checksum = 0;
    for await (const [key, value] of database.iterator()) {
      if (!key.startsWith(objectPrefix)) continue;
      const record = decodeRecord(key.slice(objectPrefix.length), value);
      if (!record)
        throw new CorruptRecordError(`the record of ${key.slice(objectPrefix.length)} does not match its checksum`);
      checksum ^= record.checksum;
      records.push(record);
    }
    const summary = await readSummary(database, records.length);
    mark = openMark(directory);
    const acknowledged = Number(readFileSync(mark, 'utf8'));
    checkSummary({ summary, acknowledged }, { objects: records.length, checksum: checksum >>> 0 });
    return { database, summary, records, mark };
  } catch (error) {
    if (mark !== undefined) closeSync(mark);
    await database.close();
    if (error instanceof CorruptRecordError || isCorruption(error)) throw await rejected(directory, error);
    throw error;
  }
}

async function open(directory: string): Promise<LevelDatabase> {
  try {
    mkdirSync(databaseFolder(directory), { recursive: true, mode: 0o700 });
    return await openLevel(databaseFolder(directory));
  } catch (error) {
    if (error instanceof DiskStorageError) throw error;
    if (isCorruption(error)) throw await rejected(directory, error);
    const what = `cannot open the object store in ${directory}`;
    const { code, message } = causeOf(error);
    if (code === 'LEVEL_LOCKED') {
      const remedy = 'stop the other process, or use another folder';
      throw new DiskStorageError({ what, why: 'another process uses this store', remedy }, { cause: error });
    }
    throw new DiskStorageError({ what, why: message, remedy: 'use another folder' }, { cause: error });
  }
}

function openMark(directory: string): number {
  try {
    return openSync(markFile(directory), constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    const what = `cannot open the object store in ${directory}`;
    throw new DiskStorageError({ what, why: causeOf(error).message, remedy: 'use another folder' }, { cause: error });
  }
}

async function readSummary(database: LevelDatabase, objects: number): Promise<DiskSummary> {
  const value = await database.get(summaryKey);
  if (value === undefined && objects === 0) return emptySummary;
  const summary = value && decodeSummary(value);
  if (!summary) throw new CorruptRecordError('the summary record cannot be read');
  return summary;
}

function checkSummary(
  { summary, acknowledged }: { readonly summary: DiskSummary; readonly acknowledged: number },
  { objects, checksum }: { readonly objects: number; readonly checksum: number },
): void {
  if (objects !== summary.objects || checksum !== summary.checksum) {
    throw new CorruptRecordError(
      `the stored objects (${objects}) do not match the summary record (${summary.objects})`,
    );
  }
  if (acknowledged > summary.revision) {
    throw new CorruptRecordError(
      `the last stored revision is ${summary.revision}, but revision ${acknowledged} was acknowledged`,
    );
  }
}

/** Damage that the database itself did not detect. */
class CorruptRecordError extends Error {}

function isCorruption(error: unknown): boolean {
  const { code, message } = causeOf(error);
  return code === 'LEVEL_CORRUPTION' || /corrupt|missing files|MANIFEST-\d+: No such file/i.test(message);
}

function causeOf(error: unknown): { readonly code: string | undefined; readonly message: string } {
  const { cause = error } = error as { readonly cause?: unknown };
  const { code, message } = cause as { readonly code?: string; readonly message: string };
  return { code, message };
}

async function rejected(directory: string, error: unknown): Promise<StorageCorruptError> {
  const why = error instanceof CorruptRecordError ? error.message : causeOf(error).message;
  return new StorageCorruptError(directory, { why, exported: await exportReadable(directory), cause: error });
}
