import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageStore } from '../../images/image-store.ts';
import { findTools, type IsolationTools } from '../../network/isolated/tools.ts';
import { removeTree } from '../remove-tree.ts';
import { ContainerDriver, type ContainerDriverOptions } from './container-driver.ts';
import { within } from './container-init.ts';
import { PodSandboxes, type PodSandboxesOptions } from './pod-sandboxes.ts';
import { StoredImages } from './stored-images.ts';
import { ContainerSupportError, UserNamespace } from './user-namespace.ts';

/** Options for {@link makeContainerDriver}. */
export interface MakeContainerDriverOptions
  extends Omit<PodSandboxesOptions, 'firstId'>,
    Pick<ContainerDriverOptions, 'journal' | 'marked' | 'clock' | 'random' | 'terminalProgram' | 'env'> {
  readonly images: ImageStore;
}

/**
 * Script that mounts an overlay and replaces a folder of the lower layer. Replacing a folder needs extended attributes.
 */
const tryOverlay = `set -e
"$1" -n -i -t overlay -o "$2" overlay "$3"
rm -r "$3/old"
mkdir "$3/old"`;

/** Creates a container driver. @throws ContainerSupportError if this machine cannot run containers */
export async function makeContainerDriver(options: MakeContainerDriverOptions): Promise<ContainerDriver> {
  const { images, network, folders } = options;
  if (process.platform !== 'linux')
    throw new ContainerSupportError(`containers require Linux, but this system is ${process.platform}`);
  const found = findTools();
  if ('missing' in found) throw new ContainerSupportError(`these programs are missing: ${found.missing.join(', ')}`);
  const { tools } = found;
  const users = await UserNamespace.start({ tools, isRoot: process.getuid?.() === 0 });
  const sandboxes = new PodSandboxes({
    addresses: options.addresses,
    folders,
    network,
    firstId: users.firstId,
    clock: options.clock,
  });
  const isMountable = await canMountOverlay(tools, { users, folder: join(folders.root, 'overlay') });
  return new ContainerDriver({
    ...options,
    images: new StoredImages(images, { firstId: users.firstId }),
    sandboxes,
    users,
    tools,
    method: isMountable ? 'overlay' : 'copy',
  });
}

/** Returns true if containers can mount overlays in the file system of `folder`. */
async function canMountOverlay(
  tools: IsolationTools,
  { users, folder }: { readonly users: UserNamespace; readonly folder: string },
): Promise<boolean> {
  const [lower, upper, work, root] = ['lower', 'upper', 'work', 'root'].map((name) => join(folder, name));
  for (const path of [`${lower}/old`, upper, work, root]) mkdirSync(path ?? '', { recursive: true });
  writeFileSync(`${lower}/old/file`, '');
  const attributes = users.firstId === undefined ? 'userxattr,' : '';
  const flags = `${attributes}lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  const script = [tools.sh, '-c', tryOverlay, 'sh', tools.mount, flags, root ?? ''];
  const [file = '', ...args] = within(users.enter, [tools.unshare, '--mount', '--', ...script]);
  const isMounted = await new Promise<boolean>((resolve) => {
    const child = spawn(file, args, { cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' });
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0));
  });
  removeTree(folder);
  return isMounted;
}
