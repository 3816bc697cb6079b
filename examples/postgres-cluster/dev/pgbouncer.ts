import { spawnSync } from 'node:child_process';

/** True if PgBouncer is installed. Debian installs it in a folder that is not on an ordinary user's PATH. */
export const isPgBouncerInstalled: boolean =
  spawnSync('pgbouncer', ['--version'], { env: { PATH: `${process.env['PATH']}:/usr/sbin` } }).status === 0;
