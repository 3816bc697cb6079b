import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repository } from '../main-job/repository.ts';

/** A package registry with the packages of this clone, started as a reader would start it, but offline. */
export class Registry {
  readonly #child: ChildProcess;
  /** The value of `npm_config_registry`. */
  readonly address: string;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  /** Starts the registry on a free port. */
  static async start(): Promise<Registry> {
    const args = [join(repository, 'scripts/registry.mjs'), '--offline', '--port', '0'];
    const child = spawn(process.execPath, args, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface(child.stdout)) {
      const [, address] = /^export npm_config_registry=(.*)$/.exec(line) ?? [];
      if (address) return new Registry(child, address);
    }
    throw new Error('the registry did not start');
  }

  /** Stops the registry. */
  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}
