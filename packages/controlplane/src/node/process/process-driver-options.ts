import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { LoopbackRange } from '../../network/loopback-range.ts';
import type { PodNetwork } from '../../network/pod-network.ts';
import type { AssignedUsers } from './assigned-users.ts';
import type { ImageMap } from './image-map.ts';
import type { KnownUser } from './known-user.ts';
import type { MarkedProcesses } from './marked-processes.ts';
import type { UidRange } from './pod-users.ts';
import type { ProcessJournal } from './process-journal.ts';
import type { SandboxFolders } from './sandbox-folders.ts';

/** Options for {@link ProcessDriver}. */
export interface ProcessDriverOptions {
  readonly images: ImageMap;
  readonly addresses: LoopbackRange;
  readonly folders: SandboxFolders;
  readonly journal: ProcessJournal;
  readonly marked: MarkedProcesses;
  readonly clock: Clock;
  readonly random: Random;
  /** Uid of this process; `undefined` on systems without uids. */
  readonly agentUid: number | undefined;
  /** Gives each pod its own network and file system. @defaultValue pods share this machine's network and file system */
  readonly network?: PodNetwork | undefined;
  readonly allowRootPods: boolean;
  /** Users for pods if this process is root; each pod gets its own. @defaultValue all pods run as `nobody` */
  readonly podUids?: UidRange | undefined;
  /** Users of the cluster's pods and claims, if it has other nodes. @defaultValue a table for this node alone */
  readonly assignedUsers?: AssignedUsers | undefined;
  /** @defaultValue the platform of this process */
  readonly platform?: NodeJS.Platform;
  /** Program that runs a command on a terminal: see {@link findTerminalProgram}. @defaultValue no terminals */
  readonly terminalProgram?: string | undefined;
  /**
   * Lets programs that look up their user in the user database run as users that are not in it. @defaultValue depends on what
   * this machine allows
   */
  readonly knownUser?: KnownUser | undefined;
  /** @defaultValue `spawn` of `node:child_process` */
  readonly spawn?: (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
}
