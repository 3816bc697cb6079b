import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, type ProcessIdentity, processIdentity } from './process-identity.ts';

/** The owner of a sandbox folder. */
interface SandboxOwner extends ProcessIdentity {
  /** Mark of the processes that use it. */
  readonly instance: string;
  /** The pid namespace: containers that share this folder may have their own. */
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
 * Finds this user's sandbox folders whose owners have ended, even if their state was removed manually or no node is started in
 * that folder again. Folders without a note, or with one of another pid namespace, are ignored.
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
    // Ignore notes of other users, which could make this process remove or kill what it must not.
    const isOurs = [root, file].every((path) => lstatSync(path).uid === (process.getuid?.() ?? 0));
    if (!isOurs || !lstatSync(root).isDirectory() || !lstatSync(file).isFile()) return undefined;
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<SandboxOwner>;
    const { pid, started, instance = '', numbering: numbers } = owner;
    const isWhole = Number.isSafeInteger(pid) && typeof started === 'string' && typeof numbers === 'string';
    return isWhole && /^[0-9a-f]{32}$/.test(instance) ? (owner as SandboxOwner) : undefined;
  } catch {
    // The folder of another program, or one being removed.
    return undefined;
  }
}

function numbering(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // A system without pid namespaces.
    return process.platform;
  }
}
