import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown while the cache of a resource is catching up after the storage has lost changes. Retry after a second. */
export class StorageNotReadyError extends KubewrightError {
  override readonly name = 'StorageNotReadyError';
  readonly code = 'KW5015';

  constructor(prefix: string, cause?: unknown) {
    super(
      {
        what: `cannot read ${prefix} from the cache`,
        why: 'it lists the storage again, because it has missed changes',
        remedy: 'retry after a second',
      },
      { cause },
    );
  }
}
