import { createHash } from 'node:crypto';
import { ArchiveError } from '../archive/archive-error.ts';

/** The backup manifest: the list of files that PostgreSQL adds to each base backup. */
export interface BackupManifest {
  readonly files: readonly ManifestFile[];
  /** The WAL that makes the backup consistent: one range for each timeline. */
  readonly wal: readonly [WalRange, ...WalRange[]];
}

export interface WalRange {
  readonly timeline: number;
  readonly beginLSN: string;
  readonly endLSN: string;
}

export interface ManifestFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Parses a manifest with SHA-256 checksums. @throws ArchiveError with the reason `Corrupted` if it is damaged */
export function parseManifest(text: string): BackupManifest {
  const corrupted = (why: string, cause?: unknown) =>
    new ArchiveError('Corrupted', `the backup manifest is damaged: ${why}`, { cause });
  const end = text.lastIndexOf('"Manifest-Checksum"');
  const expected = /"Manifest-Checksum": "([\da-f]{64})"/.exec(text.slice(end))?.[1];
  // The manifest's checksum covers all lines before its own line.
  const actual = createHash('sha256').update(text.slice(0, end)).digest('hex');
  if (expected !== actual) throw corrupted('the checksum does not match');
  let content: WrittenManifest;
  try {
    // The matching checksum shows that PostgreSQL wrote this manifest.
    content = JSON.parse(text) as WrittenManifest;
  } catch (cause) {
    throw corrupted('the content is not valid JSON', cause);
  }
  // PostgreSQL writes the newest timeline first.
  const [first, ...later] = content['WAL-Ranges'].reverse().map(rangeOf);
  if (!first) throw corrupted('the WAL range is missing');
  const files = content.Files.map((file) => {
    if (file['Checksum-Algorithm'] !== 'SHA256') throw corrupted(`${file.Path} has no SHA-256 checksum`);
    const path = file.Path ?? Buffer.from(file['Encoded-Path'] ?? '', 'hex').toString('utf8');
    return { path, sizeBytes: file.Size, sha256: file.Checksum };
  });
  return { files, wal: [first, ...later] };
}

function rangeOf(range: WrittenManifest['WAL-Ranges'][number]): WalRange {
  return { timeline: range.Timeline, beginLSN: range['Start-LSN'], endLSN: range['End-LSN'] };
}

interface WrittenManifest {
  readonly Files: readonly {
    readonly Path?: string;
    readonly 'Encoded-Path'?: string;
    readonly Size: number;
    readonly 'Checksum-Algorithm'?: string;
    readonly Checksum: string;
  }[];
  readonly 'WAL-Ranges': {
    readonly Timeline: number;
    readonly 'Start-LSN': string;
    readonly 'End-LSN': string;
  }[];
}
