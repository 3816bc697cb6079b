import { Buffer } from 'node:buffer';
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, KubewrightError } from '@kubewright/apimachinery';
import { defined, folderFault } from '@kubewright/apimachinery/internal';
import { openDiskStorage } from '@kubewright/apiserver';
import { storagePrefix } from '@kubewright/apiserver/internal';
import { eventTtlSeconds } from '../kinds/index.ts';
import { rangeNote } from './cluster-network.ts';
import { type ClusterSnapshot, restoreSnapshot, takeSnapshot } from './cluster-snapshot.ts';
import { notesIn } from './state-directory.ts';

/** Thrown if a snapshot cannot be read or written. Pass another file. */
export class SnapshotFileError extends KubewrightError {
  override readonly name = 'SnapshotFileError';
  readonly code = 'KW5506';
}

/** A folder of objects, and a file with a snapshot of them. */
export interface SnapshotPlaces {
  readonly data: string;
  readonly file: string;
  readonly clock: Clock;
}

/** The number of objects in a snapshot, and their revision. */
export interface SnapshotSummary {
  readonly objects: number;
  readonly revision: number;
}

/** The first line of a snapshot; each further line has one object. */
interface Header extends SnapshotSummary {
  readonly kubewrightSnapshot: 1;
  /** Number of the range that contains the addresses of the stored Services. */
  readonly range?: number | undefined;
}

interface Line {
  readonly key: string;
  readonly value: string;
  readonly ttlSeconds?: number | undefined;
}

const ttls = new Map([[storagePrefix({ group: '', resource: 'events' }), eventTtlSeconds]]);

/** Writes the objects of a stopped cluster to a file, one per line. The file appears only once it is complete. */
export async function saveSnapshot({ data, file, clock }: SnapshotPlaces): Promise<SnapshotSummary> {
  if (!existsSync(join(resolve(data), 'db'))) {
    const remedy = 'pass the folder of kubewright cluster up --data';
    throw new SnapshotFileError({
      what: `cannot take a snapshot of ${data}`,
      why: 'the folder contains no stored objects',
      remedy,
    });
  }
  await using storage = await openDiskStorage({ directory: resolve(data), clock });
  const { revision, objects } = await takeSnapshot(storage, ttls);
  const range = notesIn(resolve(data)).readNote<{ readonly range: number }>(rangeNote)?.range;
  const header: Header = { kubewrightSnapshot: 1, revision, objects: objects.length, range };
  function* lines(): Generator<string> {
    yield `${JSON.stringify(header)}\n`;
    for (const { key, bytes, ttlSeconds } of objects) {
      const line: Line = { key, value: Buffer.from(bytes).toString(), ttlSeconds };
      yield `${JSON.stringify(line)}\n`;
    }
  }
  const path = resolve(file);
  const unfinished = `${path}.unfinished`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    // The file contains Secrets, so only its owner may read it.
    await pipeline(Readable.from(lines()), createWriteStream(unfinished, { mode: 0o600 }));
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    const { why, remedy } = folderFault(cause, { path: dirname(path), instead: 'use another file' });
    throw new SnapshotFileError({ what: `cannot write the snapshot ${path}`, why, remedy }, { cause });
  }
  return { objects: objects.length, revision };
}

/** Replaces the objects of a stopped cluster with those in a file, under new revisions. Creates the cluster's folder if needed. */
export async function loadSnapshot({ data, file, clock }: SnapshotPlaces): Promise<SnapshotSummary> {
  const { range, ...snapshot } = await readSnapshot(resolve(file));
  await using storage = await openDiskStorage({ directory: resolve(data), clock });
  await restoreSnapshot(storage, snapshot);
  if (range !== undefined) notesIn(resolve(data)).writeNote(rangeNote, { range });
  return { objects: snapshot.objects.length, revision: snapshot.revision };
}

async function readSnapshot(path: string): Promise<ClusterSnapshot & Pick<Header, 'range'>> {
  const damaged = (why: string, cause?: unknown): SnapshotFileError =>
    new SnapshotFileError(
      { what: `cannot read the snapshot ${path}`, why, remedy: 'use another snapshot file' },
      { cause },
    );
  let header: Header | undefined;
  const objects: { key: string; bytes: Uint8Array; revision: number; ttlSeconds?: number }[] = [];
  try {
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      if (header === undefined) {
        header = JSON.parse(text) as Header;
        if (header.kubewrightSnapshot !== 1)
          throw damaged('this version of Kubewright does not support the format of the file');
        continue;
      }
      const { key, value, ttlSeconds } = JSON.parse(text) as Line;
      objects.push({ key, bytes: Buffer.from(value), revision: header.revision, ...defined({ ttlSeconds }) });
    }
  } catch (cause) {
    if (cause instanceof SnapshotFileError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw damaged(code === 'ENOENT' ? 'the file does not exist' : (cause as Error).message, cause);
  }
  if (header === undefined) throw damaged('the file is empty');
  if (objects.length !== header.objects)
    throw damaged(`the file contains only ${objects.length} of ${header.objects} objects`);
  return { revision: header.revision, objects, range: header.range };
}
