import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if a store on disk is damaged. The store is not opened; its readable objects are exported if possible. */
export class StorageCorruptError extends KubewrightError {
  override readonly name = 'StorageCorruptError';
  readonly code = 'KW5011';
  /** The file with the readable objects; absent if it could not be written. */
  readonly exported: string | undefined;

  constructor(
    directory: string,
    options: {
      readonly why: string;
      readonly exported: { readonly file: string; readonly objects: number } | undefined;
      readonly cause?: unknown;
    },
  ) {
    const { why, exported, cause } = options;
    const rescue =
      exported === undefined
        ? 'restore a backup, or use another folder'
        : `restore a backup, or start the cluster with another folder and run kubectl create -f ${exported.file}, which contains the ${exported.objects === 1 ? 'one readable object' : `${exported.objects} readable objects`}`;
    super({ what: `the object store in ${directory} is damaged`, why, remedy: rescue }, { cause });
    this.exported = exported?.file;
  }
}

/**
 * Thrown if a store on disk cannot be opened or written. After a failed write, the store rejects all writes until it is reopened.
 */
export class DiskStorageError extends KubewrightError {
  override readonly name = 'DiskStorageError';
  readonly code = 'KW5012';
}
