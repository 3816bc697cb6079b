import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const listening = '0A';

/**
 * Returns the process that listens on a local port, with its command line, or undefined if the system does not reveal
 * it.
 */
export function portOwner(port: number): { readonly pid: number; readonly command: string } | undefined {
  const inode = inodeOf(port);
  if (inode === undefined) return undefined;
  for (const entry of read(() => readdirSync('/proc'))) {
    if (!/^\d+$/.test(entry)) continue;
    const links = read(() => readdirSync(`/proc/${entry}/fd`)).map((fd) =>
      text(() => readlinkSync(`/proc/${entry}/fd/${fd}`)),
    );
    if (!links.includes(`socket:[${inode}]`)) continue;
    const words = text(() => readFileSync(`/proc/${entry}/cmdline`, 'utf8')).split('\0');
    return { pid: Number(entry), command: words.join(' ').trim().slice(0, 100) };
  }
  return undefined;
}

/** Linux prints addresses and ports in hexadecimal. */
function inodeOf(port: number): string | undefined {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of text(() => readFileSync(file, 'utf8')).split('\n')) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === listening && local.endsWith(`:${wanted}`)) return inode;
    }
  }
  return undefined;
}

/** Ignores errors: the process may belong to another user or have exited, or the system has no /proc. */
function read(look: () => string[]): readonly string[] {
  try {
    return look();
  } catch {
    return [];
  }
}

function text(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
