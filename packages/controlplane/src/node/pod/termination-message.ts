import { chownSync, closeSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container } from '@kubewright/apimachinery/core/v1';
import type { VolumeMount } from '../driver.ts';
import { messageOf } from '../logs/cri-line.ts';
import type { ReadableLog } from '../logs/log-store.ts';

const maxBytes = 4_096;
const maxLogBytes = 2_048;

/** A container's termination message: from the file that the container may write, or else from the end of its log. */
export class TerminationMessage {
  readonly #path: string | undefined;
  readonly #container: Container;

  private constructor(path: string | undefined, container: Container) {
    this.#path = path;
    this.#container = container;
  }

  /**
   * Returns the termination message of a container.
   * @param folder - the pod's folder; if undefined, there is no file.
   */
  static in(folder: string | undefined, container: Container): TerminationMessage {
    return new TerminationMessage(folder && join(folder, 't', container.name), container);
  }

  /** Creates an empty file and returns its mount. */
  mounts(user: { readonly uid: number; readonly gid: number } | undefined): readonly VolumeMount[] {
    const path = this.#path;
    const mountPath = this.#container.terminationMessagePath ?? '/dev/termination-log';
    if (path === undefined) return [];
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o711 });
    writeFileSync(path, '', { mode: 0o600 });
    if (user) chownSync(path, user.uid, user.gid);
    return [{ mountPath, hostPath: path, readOnly: false }];
  }

  /** Returns the container's message, at most 4 KiB. */
  read(options: { readonly exitCode: number; readonly log: ReadableLog | undefined }): string | undefined {
    const said = this.#path === undefined ? '' : readStart(this.#path);
    if (said !== '') return said;
    const { exitCode, log } = options;
    if (exitCode === 0 || !log || this.#container.terminationMessagePolicy !== 'FallbackToLogsOnError')
      return undefined;
    const from = Math.max(log.endOffset - 4 * maxLogBytes, log.firstOffset);
    const { bytes } = log.read(from, 4 * maxLogBytes);
    const lines = Buffer.from(bytes)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .slice(-80);
    return lines.map(messageOf).join('\n').slice(-maxLogBytes) || undefined;
  }
}

function readStart(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(maxBytes);
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, maxBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // The container removed the file, or the pod's folder no longer exists.
    return '';
  }
}
