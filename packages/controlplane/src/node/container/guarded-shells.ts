import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The shells that start containers. */
export interface GuardedShells {
  readonly sh: string;
  /** `undefined` if this machine has no bash. */
  readonly bash: string | undefined;
}

/**
 * Copies this machine's shells to a folder, as programs that their users can run but not read. A process of such a program is closed to
 * all others of its user: the shell that starts a container still has this machine's files as its root, and containers that share
 * its pid namespace must not reach them through `/proc`.
 */
export function guardedShells(folder: string, { sh }: { readonly sh: string }): GuardedShells {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  chmodSync(folder, 0o711);
  const copy = (from: string, name: string): string => {
    const to = join(folder, name);
    copyFileSync(from, to);
    chmodSync(to, 0o711);
    return to;
  };
  const bash = '/bin/bash';
  return { sh: copy(sh, 'sh'), bash: existsSync(bash) ? copy(bash, 'bash') : undefined };
}
