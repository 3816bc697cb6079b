import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown while the cache of a resource catches up after it has missed changes. Retry after a second. */
export class StorageNotReadyError extends KubewrightError {
  override readonly name = 'StorageNotReadyError';
  readonly code = 'KW5015';

  constructor(prefix: string, cause?: unknown) {
    super(
      {
        what: `cannot read ${prefix} from the cache`,
        why: 'the cache has missed changes and is relisting the storage',
        remedy: 'retry after a second',
      },
      { cause },
    );
  }
}
