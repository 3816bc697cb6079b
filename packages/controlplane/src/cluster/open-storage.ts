import type { Clock } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { MemoryStorage, openDiskStorage, openEtcdStorage, type Storage } from '@kubewright/apiserver';
import { protobuf } from '@kubewright/schema/internal';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import { firstRevision } from './first-revision.ts';
import type { StateDirectory } from './state-directory.ts';

/** Options for {@link openStorage}. */
export interface ClusterStorageOptions {
  readonly clock: Clock;
  /** Folder of the objects. @defaultValue in memory */
  readonly data?: string | undefined;
  /** URLs of etcd servers. @defaultValue no etcd */
  readonly etcdServers?: readonly string[] | undefined;
  readonly snapshot?: ClusterSnapshot | undefined;
  readonly maxBytes?: number | undefined;
  readonly onWatcherFault: (error: unknown) => void;
}

/** Opens the storage that a cluster's options describe. */
export async function openStorage(directory: StateDirectory, options: ClusterStorageOptions): Promise<Storage> {
  const { clock, data, etcdServers, snapshot, maxBytes, onWatcherFault } = options;
  if (etcdServers !== undefined) {
    return openEtcdStorage({ servers: etcdServers, clock, decode: decodeStored, onError: onWatcherFault });
  }
  if (data !== undefined) return openDiskStorage({ directory: data, clock, maxBytes, onWatcherFault });
  const initialRevision = Math.max(firstRevision(directory, clock), snapshot?.revision ?? 0);
  const objects = snapshot?.objects;
  return new MemoryStorage({ clock, initialRevision, objects, maxBytes, onWatcherFault });
}

/** Converts an object from kube-apiserver's protobuf encoding to JSON. */
function decodeStored(value: Uint8Array): Uint8Array {
  return Buffer.from(stringifyJson(protobuf.decode(value)));
}
