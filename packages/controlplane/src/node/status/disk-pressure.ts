import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Size of the file that must fit on a full disk before the disk counts as having space again, in bytes. */
const enoughBytes = 256 * 1024;

/** Options for {@link DiskPressure}. */
export interface DiskPressureOptions {
  /** Folders whose disks the node writes to. */
  readonly folders: readonly string[];
  /** Called when pressure begins. */
  readonly onBegin: () => void;
}

/**
 * Detects whether a disk that the node writes to is full. Unlike a kubelet, it waits until a write fails: development machines
 * often have little free space, and their nodes must still accept pods. Pressure ends when a file of 256 KiB fits again.
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

  /** Records the error of a failed write. Only errors of a full disk or quota count. */
  note(error: unknown): void {
    if (this.#isPresent || !isNoSpace(error)) return;
    this.#isPresent = true;
    this.#options.onBegin();
  }

  /** Checks whether a full disk has space again. Does nothing without pressure. */
  look(): void {
    if (!this.#isPresent) return;
    this.#isPresent = !this.#options.folders.every(hasSpace);
  }
}

/** True for the error of a write to a full disk or over quota. */
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
    // Any other error does not mean that the disk is full.
    return !isNoSpace(error);
  } finally {
    try {
      rmSync(file, { force: true });
    } catch {
      // The test file cannot be removed. Pods report the problem when they need the folder.
    }
  }
}
