import { chmodSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { VolumeFolders } from '../controllers/local-volumes/index.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { makeFolder } from '../node/make-folder.ts';
import { canReach } from '../node/process/reachable-programs.ts';
import { SandboxFolders } from '../node/process/sandbox-folders.ts';
import { temporaryFolder, unknownUser } from '../node/temporary-folder.ts';
import { LocalVolumeFolders, simulatedVolumeFolders } from './local-volume-folders.ts';

/** Options for {@link ClusterVolumes}. */
export interface ClusterVolumesOptions {
  readonly random: Random;
  readonly log: Logger;
  /** True if pods run on this machine, so volumes need folders. */
  readonly hasProcesses: boolean;
  /** The folder that keeps the cluster's objects; undefined if they are lost when the cluster stops. */
  readonly data: string | undefined;
}

/** The local volumes of a cluster. Kept on disk if the cluster's objects are; otherwise removed on dispose. */
export class ClusterVolumes implements Disposable {
  readonly folders: VolumeFolders;
  /** The folder of all volumes; undefined if nodes are simulated. */
  readonly root: string | undefined;
  readonly #sandbox: SandboxFolders | undefined;

  /** @throws NodeFolderError if the folder cannot be created. */
  constructor({ random, log, hasProcesses, data }: ClusterVolumesOptions) {
    if (hasProcesses && data !== undefined) {
      this.root = keptFolder(join(data, 'volumes'), log);
    } else if (hasProcesses) {
      // The users of containers can enter this folder. If this process is killed, the next node removes the folder.
      this.#sandbox = new SandboxFolders(temporaryFolder(), random.uid().replaceAll('-', ''));
      this.root = this.#sandbox.volumes();
    }
    this.folders = this.root === undefined ? simulatedVolumeFolders : new LocalVolumeFolders(this.root);
  }

  [Symbol.dispose](): void {
    this.#sandbox?.remove();
  }
}

function keptFolder(path: string, log: Logger): string {
  makeFolder(path, 0o711);
  chmodSync(path, 0o711);
  const isShared = process.getuid?.() === 0;
  if (isShared && !canReach(realpathSync(path), unknownUser)) {
    log.warn(
      'the users of pods cannot access the volume folder; use a data folder whose parent folders grant all users the x permission',
      {
        event: clusterLogEvents.volumesUnreachable,
        path,
      },
    );
  }
  return path;
}
