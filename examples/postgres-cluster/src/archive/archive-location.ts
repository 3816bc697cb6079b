import { readFile } from 'node:fs/promises';
import type { ArchiveTarget } from '../api/v1/postgres-cluster.ts';
import { ArchiveError } from './archive-error.ts';
import type { ArchiveStore } from './archive-store.ts';
import { DirectoryStore } from './directory-store.ts';
import { folderOf } from './folder-of.ts';
import { patientAttempts, type S3ClientOptions } from './s3-client.ts';
import { S3Store } from './s3-store.ts';

/**
 * The location of one cluster's archive, as seen from a container. It is written to a file for the archive and restore commands
 * that PostgreSQL runs.
 */
export interface ArchiveLocation {
  /** The cluster's folder in the directory or the bucket: the path from the spec, then the cluster's name. */
  readonly folder: string;
  /** The newest timeline whose history a standby may restore. @defaultValue any */
  readonly newestTimeline?: number;
  /** ID of the cluster that archives here. Undefined until the operator has assigned it, and for restores. */
  readonly owner?: string;
  /** The directory where the volume is mounted. */
  readonly directory?: string;
  readonly s3?: {
    readonly endpoint: string;
    readonly bucket: string;
    readonly region?: string;
    /** Folder with the files `accessKeyId` and `secretAccessKey`. They are reread each time the archive is opened. */
    readonly credentials: string;
  };
}

/**
 * Returns the location of a cluster's archive.
 *
 * @param mounts - the cluster's name, and the folders where the pod mounts the target's volume claim and Secret
 */
export function archiveLocation(
  target: ArchiveTarget,
  mounts: { readonly cluster: string; readonly volume: string; readonly credentials: string },
): ArchiveLocation {
  const { volume, s3 } = target;
  const folder = [...partsOf(volume?.path ?? s3?.path ?? ''), mounts.cluster].join('/');
  if (!s3) return { folder, directory: mounts.volume };
  const { endpoint, bucket, region } = s3;
  return { folder, s3: { endpoint, bucket, ...(region !== undefined && { region }), credentials: mounts.credentials } };
}

type Patience = 'short' | 'long';

const patienceOptions: Readonly<Record<Patience, S3ClientOptions>> = {
  short: { attempts: 1, idleTimeoutMs: 3_000 },
  long: { attempts: patientAttempts },
};

/**
 * Opens one cluster's archive. Names in the returned store are relative to the cluster's folder.
 *
 * @param options - `patience`: `long` to retry requests for about five minutes instead of a few seconds, `short` to try each
 *   once, for a few seconds
 */
export async function openArchive(
  { folder, directory, s3 }: ArchiveLocation,
  { patience }: { readonly patience?: Patience } = {},
): Promise<ArchiveStore> {
  if (directory !== undefined) return folderOf(new DirectoryStore(directory), folder);
  if (!s3) throw new ArchiveError('Invalid', 'the archive location has neither a directory nor a bucket');
  const { credentials, ...bucket } = s3;
  const read = async (key: string) => {
    try {
      return (await readFile(`${credentials}/${key}`, 'utf8')).trim();
    } catch (cause) {
      throw new ArchiveError('Forbidden', `cannot read the archive credentials: ${String(cause)}`, { cause });
    }
  };
  const accessKeyId = await read('accessKeyId');
  const secretAccessKey = await read('secretAccessKey');
  const options = patience === undefined ? {} : patienceOptions[patience];
  return folderOf(new S3Store({ ...bucket, accessKeyId, secretAccessKey }, options), folder);
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}
