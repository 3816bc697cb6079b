import { parseLsn } from '../../lsn.ts';

/** The LSN at which the next timeline forked from this one. */
export interface Fork {
  readonly timeline: number;
  readonly lsn: bigint;
}

/** Parses a timeline history file, with lines such as `1\t0/3000060\tno recovery target specified`. */
export function parseHistory(content: string): readonly Fork[] {
  return content.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+([0-9A-Fa-f]+\/[0-9A-Fa-f]+)/.exec(line);
    return match ? [{ timeline: Number(match[1]), lsn: parseLsn(match[2] ?? '') }] : [];
  });
}

/** The end of a server's WAL, and the forks that led to its timeline. */
export interface WalEnd {
  readonly timeline: number;
  readonly lsn: bigint;
  readonly history: readonly Fork[];
}

/** The end of a standby's WAL. The history is undefined if its file is missing. */
export interface StandbyWal extends Omit<WalEnd, 'history'> {
  readonly history: readonly Fork[] | undefined;
}

/**
 * Returns true if the primary's WAL continues this server's WAL. Both must have the same forks, and this server's WAL
 * must end no later than the fork where the primary left this server's timeline. If both are on the same timeline, this
 * server's WAL must end no later than the primary's; read the primary's end last.
 *
 * Two instances that did not know of each other's promotion can choose the same timeline number. Then their forks
 * differ. So data whose forks are unknown is not trusted, whatever its timeline.
 */
export function canFollow(own: StandbyWal, primary: WalEnd): boolean {
  if (own.history === undefined) return false;
  const forkOf = (timeline: number): bigint | undefined =>
    primary.history.find((fork) => fork.timeline === timeline)?.lsn;
  if (own.history.some(({ timeline, lsn }) => forkOf(timeline) !== lsn)) return false;
  const end = own.timeline === primary.timeline ? primary.lsn : forkOf(own.timeline);
  return end !== undefined && own.lsn <= end;
}
