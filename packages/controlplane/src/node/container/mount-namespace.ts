import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';

/** Maximum number of looks at the processes. A process that forks during one look is found by the next. */
const maxLooks = 20;

/**
 * The mount namespace of a container. It identifies the container's processes if other containers share its pid namespace: neither their
 * environment nor their parents do. While it is open, the kernel does not reuse its number.
 */
export class MountNamespace implements Disposable {
  readonly #descriptor: number;
  readonly #name: string;

  /** @param pid - a process of the container. @throws the system's error if the process has ended */
  constructor(pid: number) {
    this.#descriptor = openSync(`/proc/${pid}/ns/mnt`, 'r');
    this.#name = readlinkSync(`/proc/self/fd/${this.#descriptor}`);
  }

  /** Kills all processes in the namespace with SIGKILL. */
  endAll(): void {
    for (let look = 0; look < maxLooks; look++) {
      const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && nameOf(name) === this.#name);
      if (pids.length === 0) return;
      for (const pid of pids) {
        // The pid may have been reused since the folder was read.
        if (nameOf(pid) === this.#name) kill(Number(pid));
      }
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

/** Returns the name of a process's mount namespace; `undefined` if the process has ended or belongs to another user. */
function nameOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process exited on its own.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
