import { operatorRole, operatorUser, poolerRole, replicationUser } from '../protocol.ts';

/** The parts of pg_hba.conf that vary. */
export interface HbaInput {
  /** Lines of the cluster that a server has accepted. Undefined if it has not accepted any yet, although there are some. */
  readonly lines: readonly string[] | undefined;
  /** True if clients may connect as the superuser, with a password. */
  readonly superuserAccess: boolean;
}

/**
 * Returns the content of pg_hba.conf: who may connect. The first line that matches a connection counts, so the cluster's lines come
 * after those that the operator needs, and before the last one, which asks all others for a password. Until its lines are known to be
 * valid, which a running server has to tell, a new instance accepts no clients: one of the lines may reject them.
 */
export function hbaFile({ lines, superuserAccess }: HbaInput): string {
  const last = lines === undefined ? 'host all all all reject' : 'host all all all scram-sha-256';
  return [...ownLines(superuserAccess), ...(lines ?? []), last, ''].join('\n');
}

/** Returns the number of the line of the file in which the cluster's first line is; the file starts with line 1. */
export function firstHbaLine({ superuserAccess }: Pick<HbaInput, 'superuserAccess'>): number {
  return ownLines(superuserAccess).length + 1;
}

/** Returns the content of pg_ident.conf: the operator's certificate names `postgres`, and lets it connect as its own role. */
export function identFile(): string {
  return `operator ${operatorUser} ${operatorRole}\n`;
}

function ownLines(superuserAccess: boolean): readonly string[] {
  return [
    '# Written by the instance manager; changes are lost.',
    '# Only the user of the server may enter the folder of the socket.',
    'local all,replication postgres trust',
    `hostssl all ${operatorRole} all cert map=operator`,
    `host all ${operatorRole} all reject`,
    `hostssl postgres,replication ${replicationUser} all cert`,
    `host all,replication ${replicationUser} all reject`,
    `hostssl all ${poolerRole} all cert`,
    `host all ${poolerRole} all reject`,
    ...(superuserAccess ? [] : ['host all,replication postgres all reject']),
  ];
}
