import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { KubewrightError } from '@kubewright/apimachinery';
import type { IsolationTools } from '../../network/isolated/tools.ts';
import { type ImageUser, idCount } from './image-user.ts';

/** Thrown if this machine cannot run containers. */
export class ContainerSupportError extends KubewrightError {
  override readonly name = 'ContainerSupportError';
  readonly code = 'KW5223';

  constructor(why: string, options?: { readonly cause?: unknown }) {
    super(
      {
        what: 'cannot run containers on this machine',
        why,
        remedy: 'allow user namespaces and install util-linux 2.38 or newer, or use --driver process',
      },
      options,
    );
  }
}

/**
 * The id on this machine that user 0 of all containers is mapped to, if this process is root. The id is the same for all
 * clusters, so they can share unpacked images.
 */
const firstContainerId = 1_878_982_656;

/** The rights that a container's programs get. */
export interface ContainerRights {
  readonly user: ImageUser;
  /** In the format of `setpriv --bounding-set`. @defaultValue all capabilities */
  readonly boundingSet: string | undefined;
  /** True if programs cannot gain privileges through setuid files. */
  readonly noNewPrivileges: boolean;
}

/**
 * The user namespace of a node's containers, kept alive by a shell that ends with this process. If this process is root, the
 * namespace maps 65,536 separate ids, so images can use many users. Otherwise this process's user is root in the namespace, and
 * each container maps one id to that user.
 */
export class UserNamespace implements Disposable {
  readonly #keeper: ChildProcess;
  readonly #tools: IsolationTools;
  /**
   * The id on this machine that the containers' user 0 is mapped to; `undefined` if the namespace has only this
   * process's user.
   */
  readonly firstId: number | undefined;

  private constructor(
    keeper: ChildProcess,
    { tools, firstId }: { readonly tools: IsolationTools; readonly firstId: number | undefined },
  ) {
    this.#keeper = keeper;
    this.#tools = tools;
    this.firstId = firstId;
  }

  /** Creates the namespace. @throws ContainerSupportError if this machine does not allow user namespaces */
  static async start({
    tools,
    isRoot,
  }: {
    readonly tools: IsolationTools;
    readonly isRoot: boolean;
  }): Promise<UserNamespace> {
    const words = ['--user', ...(isRoot ? [] : ['--map-root-user']), '--', tools.sh, '-c', 'echo ready; read -r _'];
    const keeper = spawn(tools.unshare, words, { cwd: '/', env: {}, detached: true, stdio: 'pipe' });
    try {
      await isReady(keeper);
      const firstId = isRoot ? firstContainerId : undefined;
      for (const map of isRoot ? ['uid_map', 'gid_map'] : []) {
        writeFileSync(`/proc/${keeper.pid}/${map}`, `0 ${firstId} ${idCount}\n`);
      }
      keeper.unref();
      return new UserNamespace(keeper, { tools, firstId });
    } catch (error) {
      keeper.kill('SIGKILL');
      if (error instanceof ContainerSupportError) throw error;
      throw new ContainerSupportError((error as Error).message, { cause: error });
    }
  }

  /** Command prefix that runs a program in this machine's network, with permission to mount. */
  get enter(): readonly string[] {
    if (this.firstId !== undefined) return [];
    return [this.#tools.nsenter, '--preserve-credentials', `--user=/proc/${this.#keeper.pid}/ns/user`];
  }

  /** Returns the command prefix that runs a program of this machine with a container's user and rights. */
  become({ user, boundingSet, noNewPrivileges }: ContainerRights): readonly string[] {
    const { nsenter, setpriv, unshare } = this.#tools;
    const { uid, gid, groups } = user;
    const bounds = boundingSet === undefined ? [] : [`--bounding-set=${boundingSet}`];
    if (this.firstId === undefined) {
      // Only user 0 has capabilities to limit.
      const limits = uid === 0 ? bounds : [];
      return [
        unshare,
        '--user',
        `--map-user=${uid}`,
        `--map-group=${gid}`,
        '--',
        setpriv,
        '--no-new-privs',
        ...limits,
        '--',
      ];
    }
    const more = groups.length > 0 ? `--groups=${groups.join()}` : '--clear-groups';
    const ids = [`--reuid=${uid}`, `--regid=${gid}`, more, '--inh-caps=-all', ...bounds];
    const rights = noNewPrivileges ? ['--no-new-privs'] : [];
    return [nsenter, `--user=/proc/${this.#keeper.pid}/ns/user`, '--', setpriv, ...ids, ...rights, '--'];
  }

  /**
   * Returns the command prefix that runs a program in a container as its user. `main` is the pid of the container's main process.
   */
  join(main: number, { user, noNewPrivileges }: ContainerRights): readonly string[] {
    const { nsenter, setpriv } = this.#tools;
    const namespaces = ['mnt', 'pid', 'uts', 'ipc', 'user'].map(
      (name) => `--${optionOf(name)}=/proc/${main}/ns/${name}`,
    );
    const joining = [nsenter, '--preserve-credentials', ...namespaces];
    if (this.firstId === undefined) return [setpriv, '--no-new-privs', '--', ...joining];
    const { firstId } = this;
    const groups =
      user.groups.length > 0 ? `--groups=${user.groups.map((id) => firstId + id).join()}` : '--clear-groups';
    const rights = noNewPrivileges ? ['--no-new-privs'] : [];
    // Set the groups before nsenter, which would drop the supplementary groups.
    return [setpriv, `--regid=${firstId + user.gid}`, groups, ...rights, '--', ...joining, `--setuid=${user.uid}`];
  }

  /** Ends the shell. The namespace exists as long as containers run in it. */
  [Symbol.dispose](): void {
    this.#keeper.stdin?.destroy();
    this.#keeper.kill('SIGKILL');
  }
}

function optionOf(namespace: string): string {
  return namespace === 'mnt' ? 'mount' : namespace;
}

async function isReady(keeper: ChildProcess): Promise<void> {
  let errors = '';
  keeper.stderr?.on('data', (chunk: unknown) => {
    errors += String(chunk);
  });
  keeper.stdin?.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    keeper.once('error', reject);
    keeper.once('close', () => reject(new ContainerSupportError(errors.trim() || 'unshare ended')));
    if (keeper.stdout) createInterface({ input: keeper.stdout }).once('line', () => resolve());
  });
}
