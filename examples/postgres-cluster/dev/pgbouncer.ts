import { spawnSync } from 'node:child_process';

/** True if PgBouncer is installed. Debian installs it where the PATH of a user does not lead. */
export const isPgBouncerInstalled: boolean =
  spawnSync('pgbouncer', ['--version'], { env: { PATH: `${process.env['PATH']}:/usr/sbin` } }).status === 0;
