import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type ContainerUser, ContainerUserError } from './container-user.ts';

const places = ['/usr/bin/unshare', '/bin/unshare'];

/** Finds out how a program that asks the user database for its own user runs as a user that is not in it. */
export class KnownUser {
  readonly #nobody: ContainerUser | undefined;
  readonly #unshare: string | undefined;
  #possible: Promise<boolean> | undefined;

  /** @param nobody - the Unix user `nobody`, or another that the database knows. */
  constructor(nobody: ContainerUser | undefined, exists: (path: string) => boolean = existsSync) {
    this.#nobody = nobody;
    this.#unshare = process.platform === 'linux' ? places.find(exists) : undefined;
  }

  /**
   * Returns the words to put before such a program: none for a user that the database knows, else a user namespace in
   * which the user appears as `nobody`; files stay its own.
   *
   * @throws ContainerUserError when the user is not known and there can be no such namespace.
   */
  async words(program: string, user: ContainerUser | undefined): Promise<readonly string[]> {
    const cause = await whyUnknown([], user);
    if (cause === undefined) return [];
    if (user && (await this.canImpersonate(user))) return this.#words();
    throw new ContainerUserError(
      `uid ${user?.uid ?? process.getuid?.()} is not in this system's user database, without which ${program} refuses to run; ${user ? 'set securityContext.runAsUser to one that is, or to none' : 'run this node as a user that is'}`,
      { cause },
    );
  }

  /** True if this machine lets an unknown user appear as `nobody`: containers of many engines may not. */
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

/** Asks the system itself, which knows more users than its file of them; the error when it does not know this one. */
async function whyUnknown(words: readonly string[], user: ContainerUser | undefined): Promise<unknown> {
  const [file = 'id', ...args] = [...words, 'id', '-un'];
  try {
    await promisify(execFile)(file, args, { ...(user && { uid: user.uid, gid: user.gid }), cwd: '/', timeout: 5_000 });
    return undefined;
  } catch (error) {
    // Its exit code; everything else says nothing of the user, where nothing but `id` was asked.
    return words.length > 0 || typeof (error as { readonly code?: unknown }).code === 'number' ? error : undefined;
  }
}
