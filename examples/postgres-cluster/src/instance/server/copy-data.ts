import { cloneName } from '../protocol.ts';
import { type ProgramContext, ProgramError, runProgram } from './run-program.ts';

export interface InitdbOptions {
  readonly locale?: string | undefined;
  readonly encoding?: string | undefined;
}

interface Run {
  readonly context: ProgramContext;
  readonly signal: AbortSignal;
}

/** Creates a data directory with data checksums. */
export async function initdb(
  path: string,
  {
    locale = 'C',
    encoding = 'UTF8',
    auth = 'reject',
    ...run
  }: InitdbOptions & Run & { readonly auth?: 'reject' | 'trust' },
): Promise<void> {
  const args = [`--pgdata=${path}`, '--username=postgres', '--data-checksums', `--auth=${auth}`];
  await runProgram('initdb', { args: [...args, `--encoding=${encoding}`, `--locale=${locale}`], ...run });
}

/**
 * Clones the data of a running primary. The slot makes the primary retain the WAL that the clone needs. The connections
 * do not use the instance's name, because the WAL stream of pg_basebackup confirms commits that an unfinished clone can
 * lose.
 */
export async function cloneFrom(
  connection: string,
  { path, slot, ...run }: { readonly path: string; readonly slot: string } & Run,
): Promise<void> {
  const args = [
    // The last value of a repeated key counts.
    `--dbname=${connection} application_name=${cloneName}`,
    `--pgdata=${path}`,
    `--slot=${slot}`,
    '--wal-method=stream',
    '--checkpoint=fast',
  ];
  await runProgram('pg_basebackup', { args, ...run });
}

/** The result of a rewind. */
export type Rewound =
  | { readonly kind: 'done' }
  /** pg_rewind found no divergence, and changed nothing. It does not compare data on the same timeline. */
  | { readonly kind: 'unneeded' }
  /** The source could not be reached. Nothing was changed. */
  | { readonly kind: 'unreachable'; readonly why: string }
  | { readonly kind: 'impossible'; readonly why: string };

/** Rewinds the data with pg_rewind, to match the WAL of a running primary. */
export async function rewindFrom(
  connection: string,
  { path, restores, ...run }: { readonly path: string; readonly restores: boolean } & Run,
): Promise<Rewound> {
  const args = [
    `--target-pgdata=${path}`,
    `--source-server=${connection}`,
    ...(restores ? ['--restore-target-wal'] : []),
  ];
  try {
    const { stdout, stderr } = await runProgram('pg_rewind', { args, ...run });
    return { kind: `${stdout}${stderr}`.includes('no rewind required') ? 'unneeded' : 'done' };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    const isUnreachable = /error: (connection to server|could not connect)/.test(error.output);
    return { kind: isUnreachable ? 'unreachable' : 'impossible', why: error.message };
  }
}
