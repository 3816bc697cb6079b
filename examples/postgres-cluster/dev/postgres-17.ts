import { delimiter } from 'node:path';

/** True if PostgreSQL 17 is installed, in the folder that `POSTGRES_17_BIN` names. */
export const isPostgres17Installed: boolean = Boolean(process.env['POSTGRES_17_BIN']);

/** Appends PostgreSQL 17 to the PATH, so that nodes find it for images with that tag. */
export function withPostgres17(): Disposable {
  const path = process.env['PATH'];
  process.env['PATH'] = `${path}${delimiter}${process.env['POSTGRES_17_BIN']}`;
  return {
    [Symbol.dispose]: () => {
      process.env['PATH'] = path;
    },
  };
}
