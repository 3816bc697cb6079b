import { delimiter } from 'node:path';

/** True if `POSTGRES_17_BIN` is set to the folder of PostgreSQL 17's programs. */
export const isPostgres17Installed: boolean = Boolean(process.env['POSTGRES_17_BIN']);

/** Appends PostgreSQL 17 to the PATH until the result is disposed. Nodes run it for images with the tag 17. */
export function withPostgres17(): Disposable {
  const path = process.env['PATH'];
  process.env['PATH'] = `${path}${delimiter}${process.env['POSTGRES_17_BIN']}`;
  return {
    [Symbol.dispose]: () => {
      process.env['PATH'] = path;
    },
  };
}
