import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, type ProcessIdentity, processIdentity } from './process-identity.ts';

/** Whose a sandbox folder is. */
interface SandboxOwner extends ProcessIdentity {
  /** Mark of the processes that live there. */
  readonly instance: string;
  /** Which numbers of processes are meant: containers of an engine that share this folder have their own. */
  readonly numbering: string;
}

/** A sandbox folder whose owner has ended without removing it. */
export interface ForgottenSandbox {
  readonly root: string;
  readonly instance: string;
}

const fileName = 'owner.json';

/** Notes in a sandbox folder that it is this process's. */
export function writeOwner(root: string, instance: string): void {
  const owner: SandboxOwner = { ...processIdentity(process.pid), instance, numbering: numbering() };
  writeFileSync(join(root, fileName), JSON.stringify(owner), { mode: 0o600 });
}

/**
 * Finds the sandbox folders of this user whose owners have ended, also those of state that was removed by hand and of
 * folders in which nobody starts a node again. What has no note, or one of other numbers, is not touched.
 */
export function forgottenSandboxes(temporary: string): readonly ForgottenSandbox[] {
  return readdirSync(temporary)
    .filter((name) => /^kw-[A-Za-z0-9]{6}$/.test(name))
    .flatMap((name) => {
      const root = join(temporary, name);
      const owner = readOwner(root);
      if (!owner || owner.numbering !== numbering() || isSameProcess(owner)) return [];
      return [{ root, instance: owner.instance }];
    });
}

function readOwner(root: string): SandboxOwner | undefined {
  try {
    const file = join(root, fileName);
    // Somebody else's note could make us remove and end what is ours.
    const isOurs = [root, file].every((path) => lstatSync(path).uid === (process.getuid?.() ?? 0));
    if (!isOurs || !lstatSync(root).isDirectory() || !lstatSync(file).isFile()) return undefined;
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<SandboxOwner>;
    const { pid, started, instance = '', numbering: numbers } = owner;
    const isWhole = Number.isSafeInteger(pid) && typeof started === 'string' && typeof numbers === 'string';
    return isWhole && /^[0-9a-f]{32}$/.test(instance) ? (owner as SandboxOwner) : undefined;
  } catch {
    // Another program's folder, or one that is going just now.
    return undefined;
  }
}

function numbering(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Systems that number all their processes together.
    return process.platform;
  }
}
