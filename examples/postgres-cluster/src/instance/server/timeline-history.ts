import { parseLsn } from './wal-position.ts';

/** The point at which a timeline was left for the next one. */
export interface Fork {
  readonly timeline: number;
  readonly lsn: bigint;
}

/** Parses a history file: `1\t0/3000060\tno recovery target specified`. */
export function parseHistory(content: string): readonly Fork[] {
  return content.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+([0-9A-Fa-f]+\/[0-9A-Fa-f]+)/.exec(line);
    return match ? [{ timeline: Number(match[1]), lsn: parseLsn(match[2] ?? '') }] : [];
  });
}

/**
 * Returns true if data at a position can follow a primary: the data's timeline is the primary's, or one that the primary's left at this
 * position or later.
 */
export function canFollow(
  own: { readonly timeline: number; readonly lsn: bigint },
  primary: { readonly timeline: number; readonly history: readonly Fork[] },
): boolean {
  if (own.timeline === primary.timeline) return true;
  const fork = primary.history.find(({ timeline }) => timeline === own.timeline);
  return fork !== undefined && own.lsn <= fork.lsn;
}
