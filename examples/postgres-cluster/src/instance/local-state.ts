import type { DataState, ServerState } from './decision/situation.ts';
import type { LocalStatus } from './sql/local-status.ts';

/** The state of the local server and its data. */
export interface LocalState {
  readonly data: DataState;
  /** False until the data has been read. */
  readonly isRead: boolean;
  readonly server: ServerState;
  /** Undefined while the server does not accept connections. */
  readonly status?: LocalStatus | undefined;
  /** Hash of the parameters that the server is configured with. */
  readonly settings?: string | undefined;
  readonly settingsError?: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly version?: string | undefined;
  /** Reason why the restore of a new cluster was abandoned. */
  readonly restoreError?: string | undefined;
  /** Reason why the last WAL file could not be archived. */
  readonly archiveFailure?: string | undefined;
}
