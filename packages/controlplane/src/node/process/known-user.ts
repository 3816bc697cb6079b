import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type ContainerUser, ContainerUserError } from './container-user.ts';

const places = ['/usr/bin/unshare', '/bin/unshare'];

/** Lets a program that looks up its own user in the user database run as a user that is not in it. */
export class KnownUser {
  readonly #nobody: ContainerUser | undefined;
  readonly #unshare: string | undefined;
  #possible: Promise<boolean> | undefined;

  /** @param nobody - the Unix user `nobody`, or any other user in the database. */
  constructor(nobody: ContainerUser | undefined, exists: (path: string) => boolean = existsSync) {
    this.#nobody = nobody;
    this.#unshare = process.platform === 'linux' ? places.find(exists) : undefined;
  }

  /**
   * Returns the command prefix for a program that looks up its user. The prefix is empty if the user is in the
   * database; otherwise it runs the program in a user namespace in which the user appears as `nobody`. Files still
   * belong to the real user.
   *
   * @throws ContainerUserError if the user is unknown and the namespace cannot be created.
   */
  async words(program: string, user: ContainerUser | undefined): Promise<readonly string[]> {
    const cause = await whyUnknown([], user);
    if (cause === undefined) return [];
    if (user && (await this.canImpersonate(user))) return this.#words();
    throw new ContainerUserError(
      {
        what: `uid ${user?.uid ?? process.getuid?.()} is not in this system's user database, so ${program} refuses to run; ${user ? 'set securityContext.runAsUser to an existing uid, or leave it unset' : 'run this node as an existing user'}`,
      },
      { cause },
    );
  }

  /** Returns true if this machine can map an unknown user to `nobody`. Many container engines do not allow it. */
  canImpersonate(user: ContainerUser): Promise<boolean> {
    if (this.#unshare === undefined || this.#nobody === undefined) return Promise.resolve(false);
    this.#possible ??= whyUnknown(this.#words(), user).then((cause) => cause === undefined);
    return this.#possible;
  }

  #words(): readonly string[] {
    const { uid = 0, gid = 0 } = this.#nobody ?? {};
    return [this.#unshare ?? '', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  }
}

/**
 * Looks up the user with `id`, which also finds users that are not in `/etc/passwd`. Returns the error if the user is unknown.
 */
async function whyUnknown(words: readonly string[], user: ContainerUser | undefined): Promise<unknown> {
  const [file = 'id', ...args] = [...words, 'id', '-un'];
  try {
    await promisify(execFile)(file, args, { ...(user && { uid: user.uid, gid: user.gid }), cwd: '/', timeout: 5_000 });
    return undefined;
  } catch (error) {
    // An exit code means that the user is unknown. Without `words`, other errors say nothing about the user.
    return words.length > 0 || typeof (error as { readonly code?: unknown }).code === 'number' ? error : undefined;
  }
}
