import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Maximum length of the message, in characters. */
const maxReportLength = 1_000;

/**
 * Returns why pg_upgrade failed: the failed check, and the lists of objects that pg_upgrade wrote into the folder of the new
 * data.
 */
export async function upgradeFailure(output: string, preparedData: string): Promise<string> {
  const reports = await listReports(join(preparedData, 'pg_upgrade_output.d'));
  return [failedCheck(output), ...reports].join('; ').slice(0, maxReportLength);
}

/** Returns the output that follows the last passed check. */
function failedCheck(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const isPassed = (line: string): boolean => /\s(ok|warning)$/.test(line) || line === '';
  const last = lines.findLastIndex((line) => /\s(ok|warning)$/.test(line));
  const rest = lines.slice(last + 1).filter((line) => !isPassed(line));
  const text = (rest.length > 0 ? rest : lines.filter((line) => line !== '')).join(' ');
  // Removes references to the report files: they are deleted, and their content is appended instead.
  return text
    .replace(/\s+fatal\b/, ':')
    .replace(/(, the list of[^.]*|A list of[^:]*|\s*is) in the file:\s*\S+/, '')
    .replaceAll(/\s+/g, ' ');
}

async function listReports(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const reports = names.filter((name) => name.endsWith('.txt')).sort();
  return Promise.all(
    reports.map(async (name) => {
      const content = await readFile(join(folder, name), 'utf8');
      return `${basename(name)}: ${content.trim().replaceAll(/\s*\n\s*/g, ', ')}`;
    }),
  );
}
