import { join } from 'node:path';

/** Key of the summary in the database. */
export const summaryKey = 'summary';
/** First character of the database keys that hold objects. */
export const objectPrefix = 'o';

/** Returns the folder of the LevelDB database in a data folder. */
export function databaseFolder(directory: string): string {
  return join(directory, 'db');
}

/**
 * Returns the file with the last acknowledged revision. It is kept outside the database, so that lost commits can be detected.
 */
export function markFile(directory: string): string {
  return join(directory, 'last-revision');
}
