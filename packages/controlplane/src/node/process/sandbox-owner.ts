import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, type ProcessIdentity, processIdentity } from './process-identity.ts';

/** The owner of a sandbox folder. */
interface SandboxOwner extends ProcessIdentity {
  /** Mark of the processes that use the folder. */
  readonly instance: string;
  /** The owner's pid namespace: containers that share this folder may have different namespaces. */
  readonly numbering: string;
}

/** A sandbox folder whose owner has ended without removing it. */
export interface ForgottenSandbox {
  readonly root: string;
  readonly instance: string;
}

const fileName = 'owner.json';

/** Records this process as the owner of a sandbox folder. */
export function writeOwner(root: string, instance: string): void {
  const owner: SandboxOwner = { ...processIdentity(process.pid), instance, numbering: numbering() };
  writeFileSync(join(root, fileName), JSON.stringify(owner), { mode: 0o600 });
}

/**
 * Finds this user's sandbox folders whose owners have ended, even if the node's own folder has been deleted or is no
 * longer used. Ignores folders without an owner file, and owners in other pid namespaces.
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
    // Ignore files of other users, who could otherwise make this process remove unrelated folders or kill unrelated
    // processes.
    const isOurs = [root, file].every((path) => lstatSync(path).uid === (process.getuid?.() ?? 0));
    if (!isOurs || !lstatSync(root).isDirectory() || !lstatSync(file).isFile()) return undefined;
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<SandboxOwner>;
    const { pid, started, instance = '', numbering: numbers } = owner;
    const isWhole = Number.isSafeInteger(pid) && typeof started === 'string' && typeof numbers === 'string';
    return isWhole && /^[0-9a-f]{32}$/.test(instance) ? (owner as SandboxOwner) : undefined;
  } catch {
    // The folder belongs to another program or is being removed.
    return undefined;
  }
}

function numbering(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // The system has no pid namespaces.
    return process.platform;
  }
}
