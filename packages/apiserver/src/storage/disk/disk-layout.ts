import { join } from 'node:path';

/** Key of the summary in the database. */
export const summaryKey = 'summary';
/** First character of the keys of objects in the database. */
export const objectPrefix = 'o';

/** Returns the folder of the database in a data folder. */
export function databaseFolder(directory: string): string {
  return join(directory, 'db');
}

/** Returns the file with the last acknowledged revision, which is not part of the database. */
export function markFile(directory: string): string {
  return join(directory, 'last-revision');
}
