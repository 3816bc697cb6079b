import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDirectory } from '../server/data-directory.ts';
import { type ProgramContext, ProgramError, runProgram } from '../server/run-program.ts';
import { settingsHash } from '../settings-hash.ts';
import { settingsRejectionReason } from './fixed-settings.ts';
import { identFile } from './hba-file.ts';
import { type SettingsInput, settingsFile } from './settings-file.ts';

type Parameters = Readonly<Record<string, string>>;

/**
 * Writes the server's configuration. If the server rejects the parameters, the last accepted parameters stay in effect,
 * even after a restart.
 */
export class SettingsKeeper {
  readonly #data: DataDirectory;
  readonly #context: ProgramContext;
  #accepted: Parameters | undefined;
  /** Hash of the last checked parameters. */
  #checked: string | undefined;
  #error: string | undefined;
  #written: string | undefined;

  constructor(data: DataDirectory, context: ProgramContext) {
    this.#data = data;
    this.#context = context;
  }

  /** Hash of the parameters that the server is configured with. */
  get hash(): string | undefined {
    return this.#accepted && settingsHash(this.#accepted);
  }

  /** Reason why the requested parameters are not in effect, if they are not. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The parameters that the server is configured with. */
  get parameters(): Parameters {
    return this.#accepted ?? {};
  }

  /** Forgets which configuration was written; called after the data directory has been replaced. */
  forget(): void {
    this.#written = undefined;
  }

  /** Writes the configuration if it has changed. Returns true if the server must reload it. */
  async apply(
    input: SettingsInput,
    { hba, signal }: { readonly hba: string; readonly signal: AbortSignal },
  ): Promise<boolean> {
    await this.#check(input, signal);
    const content = settingsFile({ ...input, parameters: this.parameters });
    if (hba + content === this.#written) return false;
    const { path } = this.#data;
    await this.#data.write(join(path, 'pg_hba.conf'), hba);
    await this.#data.write(join(path, 'pg_ident.conf'), identFile());
    // Clears settings from ALTER SYSTEM, which would override settings that fencing needs.
    await this.#data.write(join(path, 'postgresql.auto.conf'), '');
    await this.#data.write(join(path, 'postgresql.conf'), content);
    this.#written = hba + content;
    return true;
  }

  async #check(input: SettingsInput, signal: AbortSignal): Promise<void> {
    this.#accepted ??= await this.#readAccepted();
    const hash = settingsHash(input.parameters);
    if (hash === this.#checked) return;
    this.#error = await this.#rejectionReason(input, signal);
    this.#checked = hash;
    if (this.#error !== undefined) return;
    this.#accepted = input.parameters;
    await this.#data.write(this.#acceptedFile, JSON.stringify(input.parameters));
  }

  async #rejectionReason(input: SettingsInput, signal: AbortSignal): Promise<string | undefined> {
    const rejection = settingsRejectionReason(input.parameters);
    if (rejection !== undefined) return rejection;
    const candidate = join(this.#data.volume, 'postgresql.candidate.conf');
    await this.#data.write(candidate, settingsFile(input));
    try {
      // `postgres -C` parses the whole configuration before it prints one value.
      const args = ['-D', this.#data.path, '-c', `config_file=${candidate}`, '-C', 'port'];
      await runProgram('postgres', { args, context: this.#context, signal });
      return undefined;
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      return invalidSettings(error.output);
    }
  }

  async #readAccepted(): Promise<Parameters | undefined> {
    try {
      return JSON.parse(await readFile(this.#acceptedFile, 'utf8')) as Parameters;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  get #acceptedFile(): string {
    return join(this.#data.volume, 'accepted-parameters.json');
  }
}

/** Returns the server's messages about invalid settings, without timestamps, process IDs and file names. */
export function invalidSettings(output: string): string {
  const lines = output.split('\n').flatMap((line) => {
    const match = /(?:LOG|FATAL|ERROR|HINT|DETAIL):\s+(.*)$/.exec(line);
    const text = match?.[1]?.replace(/ in file "[^"]*" line \d+/, '');
    return text === undefined || /^configuration file ".*" contains errors/.test(text) ? [] : [text];
  });
  return lines.join('; ') || output.trim();
}
