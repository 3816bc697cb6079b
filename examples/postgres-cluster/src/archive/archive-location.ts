import { readFile } from 'node:fs/promises';
import type { BackupTarget } from '../api/v1/postgres-cluster.ts';
import { ArchiveError } from './archive-error.ts';
import type { ArchiveStore } from './archive-store.ts';
import { DirectoryStore } from './directory-store.ts';
import { folderOf } from './folder-of.ts';
import { S3Store } from './s3-store.ts';

/** Where the archive of one cluster is, as seen from a container. Written to a file for the programs that PostgreSQL runs. */
export interface ArchiveLocation {
  /** Folder of the cluster within the directory or the bucket: its path and its name. */
  readonly folder: string;
  /** The newest timeline whose history a standby may restore. @defaultValue any */
  readonly newestTimeline?: number;
  /** Mounted directory. */
  readonly directory?: string;
  readonly s3?: {
    readonly endpoint: string;
    readonly bucket: string;
    readonly region?: string;
    /** Folder with the files `accessKeyId` and `secretAccessKey`, which are read again each time the archive is opened. */
    readonly credentials: string;
  };
}

/**
 * Returns the location of a cluster's archive.
 *
 * @param mounts - the folders where the pod mounts the claim and the Secret of the target
 */
export function archiveLocation(
  target: BackupTarget,
  mounts: { readonly cluster: string; readonly volume: string; readonly credentials: string },
): ArchiveLocation {
  const { volume, s3 } = target;
  const folder = [...partsOf(volume?.path ?? s3?.path ?? ''), mounts.cluster].join('/');
  if (!s3) return { folder, directory: mounts.volume };
  const { endpoint, bucket, region } = s3;
  return { folder, s3: { endpoint, bucket, ...(region !== undefined && { region }), credentials: mounts.credentials } };
}

/** Opens the archive of one cluster: the names in the store are relative to the cluster's folder. */
export async function openArchive({ folder, directory, s3 }: ArchiveLocation): Promise<ArchiveStore> {
  if (directory !== undefined) return folderOf(new DirectoryStore(directory), folder);
  if (!s3) throw new ArchiveError('Invalid', 'the location of the archive has neither a directory nor a bucket');
  const { credentials, ...bucket } = s3;
  const read = async (key: string) => {
    try {
      return (await readFile(`${credentials}/${key}`, 'utf8')).trim();
    } catch (cause) {
      throw new ArchiveError('Forbidden', `cannot read the credentials of the archive: ${String(cause)}`, { cause });
    }
  };
  const accessKeyId = await read('accessKeyId');
  const secretAccessKey = await read('secretAccessKey');
  return folderOf(new S3Store({ ...bucket, accessKeyId, secretAccessKey }), folder);
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}
