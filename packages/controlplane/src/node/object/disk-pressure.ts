import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Size of a file that must fit before a disk counts as having space again, in bytes. */
const enoughBytes = 256 * 1024;

/** Options of a {@link DiskPressure}. */
export interface DiskPressureOptions {
  /** Folders whose disks the node writes to. */
  readonly folders: readonly string[];
  /** Called when pressure begins. */
  readonly onBegin: () => void;
}

/**
 * Knows whether a disk that the node writes to is full. Unlike a kubelet it waits until a write fails: a development machine
 * with little space left is usual, and its node must still take pods. Pressure ends when a file of 256 KiB fits again.
 */
export class DiskPressure {
  readonly #options: DiskPressureOptions;
  #isPresent = false;

  constructor(options: DiskPressureOptions) {
    this.#options = options;
  }

  get isPresent(): boolean {
    return this.#isPresent;
  }

  /** Takes the error of a failed write into account; errors other than those of a full disk or quota are ignored. */
  note(error: unknown): void {
    if (this.#isPresent || !isNoSpace(error)) return;
    this.#isPresent = true;
    this.#options.onBegin();
  }

  /** Finds out whether there is space again; does nothing without pressure. */
  look(): void {
    if (!this.#isPresent) return;
    this.#isPresent = !this.#options.folders.every(hasSpace);
  }
}

/** True for the error of a write to a full disk, or over the user's quota. */
function isNoSpace(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && isNoSpace(cause));
}

function hasSpace(folder: string): boolean {
  const file = join(folder, '.space');
  try {
    writeFileSync(file, new Uint8Array(enoughBytes), { mode: 0o600 });
    return true;
  } catch (error) {
    // A folder that cannot be written for another reason does not lack space.
    return !isNoSpace(error);
  } finally {
    try {
      rmSync(file, { force: true });
    } catch {
      // It cannot be written, or removed: pods report that when they need it.
    }
  }
}
