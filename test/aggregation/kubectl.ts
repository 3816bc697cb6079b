import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, runKubectl } from '../kubectl/run-kubectl.ts';

/** Runs kubectl with an empty discovery cache for each command, so that it uses the server's current discovery data. */
export class FreshKubectl {
  readonly #folder: string;
  readonly #kubeconfig: string;
  #count = 0;

  constructor(options: { readonly folder: string; readonly kubeconfig: string }) {
    this.#folder = options.folder;
    this.#kubeconfig = options.kubeconfig;
  }

  run(command: string, stdin?: string): Promise<Outcome> {
    const home = join(this.#folder, `home-${++this.#count}`);
    mkdirSync(home);
    const step = { command, ...(stdin !== undefined && { stdin }) };
    return runKubectl(step as Parameters<typeof runKubectl>[0], {
      kubeconfig: this.#kubeconfig,
      home,
      folder: this.#folder,
    });
  }
}
