import { operatorRole, operatorUser, poolerRole, replicationUser } from '../protocol.ts';

/** The variable parts of pg_hba.conf. */
export interface HbaInput {
  /** The cluster's lines that a server has accepted. Undefined if the cluster has lines, but none have been accepted yet. */
  readonly lines: readonly string[] | undefined;
  /** True if clients may connect as the superuser with a password. */
  readonly superuserAccess: boolean;
}

/**
 * Returns the content of pg_hba.conf. The first line that matches a connection decides, so the cluster's lines come
 * after the operator's own lines, and before the last line, which requires a password. Only a running server can check
 * the cluster's lines. Until one has checked them, a new instance rejects all clients, because a line may be meant to
 * reject them.
 */
export function hbaFile({ lines, superuserAccess }: HbaInput): string {
  const last = lines === undefined ? 'host all all all reject' : 'host all all all scram-sha-256';
  return [...ownLines(superuserAccess), ...(lines ?? []), last, ''].join('\n');
}

/** Returns the line number of the cluster's first line in pg_hba.conf, counted from 1. */
export function firstHbaLine({ superuserAccess }: Pick<HbaInput, 'superuserAccess'>): number {
  return ownLines(superuserAccess).length + 1;
}

/** Returns the content of pg_ident.conf, which maps the operator's certificate to the operator's role. */
export function identFile(): string {
  return `operator ${operatorUser} ${operatorRole}\n`;
}

function ownLines(superuserAccess: boolean): readonly string[] {
  return [
    '# Written by the instance manager; changes are lost.',
    "# Only the server's user may enter the folder of the socket.",
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
