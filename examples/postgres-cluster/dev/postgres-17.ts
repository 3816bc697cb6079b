import { delimiter } from 'node:path';

/** True if the programs of PostgreSQL 17 are installed, in the folder `POSTGRES_17_BIN`. */
export const isPostgres17Installed: boolean = Boolean(process.env['POSTGRES_17_BIN']);

/** Puts PostgreSQL 17 at the end of the PATH, where nodes find it for images with that tag. */
export function withPostgres17(): Disposable {
  const path = process.env['PATH'];
  process.env['PATH'] = `${path}${delimiter}${process.env['POSTGRES_17_BIN']}`;
  return {
    [Symbol.dispose]: () => {
      process.env['PATH'] = path;
    },
  };
}
