import type { Logger } from '@kubewright/runtime';
import type { DataDirectory } from './server/data-directory.ts';
import { type ProgramContext, runProgram } from './server/run-program.ts';

export interface UpgradeUpkeepOptions {
  readonly data: DataDirectory;
  readonly environment: { readonly socketDirectory: string };
  readonly programs: ProgramContext;
  readonly log: Logger;
}

/** The work of a primary after a major upgrade: it removes the old data, and collects statistics. */
export class UpgradeUpkeep implements AsyncDisposable {
  readonly #options: UpgradeUpkeepOptions;
  readonly #over = new AbortController();
  #isChecked = false;
  #analyzing: Promise<void> = Promise.resolve();

  constructor(options: UpgradeUpkeepOptions) {
    this.#options = options;
  }

  /** Does the work, once. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isChecked) return;
    const { data, log } = this.#options;
    signal.throwIfAborted();
    if (await data.upgrade.removeKept()) {
      log.info('removed the data of the old version, because the server of the new version works');
      // pg_upgrade does not transfer all optimizer statistics. Collecting them can take a long time, so it runs in the
      // background.
      this.#analyzing = this.#analyze().catch((error: unknown) => log.warn('cannot collect statistics', { error }));
    }
    this.#isChecked = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#analyzing;
  }

  async #analyze(): Promise<void> {
    const { environment, programs, log } = this.#options;
    const args = ['--all', '--analyze-in-stages', '-h', environment.socketDirectory, '-U', 'postgres'];
    // Does not wait for replicas, because they are still being cloned.
    const env = { ...programs.env, PGOPTIONS: '-c synchronous_commit=local' };
    await runProgram('vacuumdb', { args, context: { ...programs, env }, signal: this.#over.signal });
    log.info('collected statistics after the upgrade');
  }
}
