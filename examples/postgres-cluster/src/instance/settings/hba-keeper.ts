import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDirectory } from '../server/data-directory.ts';
import type { Sql } from '../sql/sql-session.ts';
import { firstHbaLine, type HbaInput, hbaFile } from './hba-file.ts';
import { hbaRejectionReason } from './hba-lines.ts';

/** The access rules that the cluster's spec requests. */
export interface WantedHba {
  readonly lines: readonly string[];
  readonly superuserAccess: boolean;
}

/**
 * Manages the cluster's lines in pg_hba.conf. A server does not start with an invalid line, so a running server must first check
 * new lines: it can parse the file without applying it. If it rejects them, the last accepted lines stay in effect, even after a
 * restart.
 */
export class HbaKeeper {
  readonly #data: DataDirectory;
  #accepted: readonly string[] | undefined;
  #isRead = false;
  #checked: string | undefined;
  #error: string | undefined;

  constructor(data: DataDirectory) {
    this.#data = data;
  }

  /** Reason why the requested lines are not in effect, if they are not. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Returns the content of pg_hba.conf with the accepted lines. */
  async content(wanted: WantedHba): Promise<string> {
    return hbaFile(await this.#input(wanted));
  }

  /** Lets the running server check changed lines. Afterwards, either they are accepted, or `error` says why not. */
  async check(wanted: WantedHba, sql: Sql): Promise<void> {
    const key = JSON.stringify(wanted);
    if (key === this.#checked) return;
    const before = await this.content(wanted);
    const rejection = hbaRejectionReason(wanted.lines, wanted);
    this.#error = rejection ?? (await this.#serverRejectionReason(wanted, { sql, before }));
    if (this.#error === undefined) {
      this.#accepted = wanted.lines;
      await this.#data.write(this.#acceptedFile, JSON.stringify(wanted.lines));
    }
    this.#checked = key;
  }

  async #serverRejectionReason(
    wanted: WantedHba,
    { sql, before }: { readonly sql: Sql; readonly before: string },
  ): Promise<string | undefined> {
    const file = join(this.#data.path, 'pg_hba.conf');
    await this.#data.write(file, hbaFile(wanted));
    try {
      const rows = await sql.query(
        'SELECT line_number::int AS line, error FROM pg_hba_file_rules WHERE error IS NOT NULL ORDER BY line_number',
      );
      const first = firstHbaLine(wanted);
      const reasons = rows.map(({ line, error }) => `hba[${Number(line) - first}]: ${String(error)}`);
      return reasons.length > 0 ? reasons.join('; ') : undefined;
    } finally {
      // Restores the file. Accepted lines are written later, together with the settings, before the server reloads.
      await this.#data.write(file, before);
    }
  }

  async #input({ lines, superuserAccess }: WantedHba): Promise<HbaInput> {
    if (!this.#isRead) this.#accepted = await this.#readAccepted();
    this.#isRead = true;
    const known = this.#accepted ?? (lines.length === 0 ? [] : undefined);
    return { lines: known, superuserAccess };
  }

  async #readAccepted(): Promise<readonly string[] | undefined> {
    try {
      return JSON.parse(await readFile(this.#acceptedFile, 'utf8')) as readonly string[];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  get #acceptedFile(): string {
    return join(this.#data.volume, 'accepted-hba.json');
  }
}
