/** The inputs of an instance's decision. */
export interface Situation {
  /** Name of this instance. */
  readonly name: string;
  /** The cluster as last read; undefined until it has been read once. */
  readonly cluster: ClusterView | undefined;
  readonly lease: LeaseState;
  readonly data: DataState;
  readonly server: ServerState;
  /** True for a while after the server died as a primary, so that the operator can choose another instance. */
  readonly isYielding: boolean;
}

export interface ClusterView {
  readonly targetPrimary?: string | undefined;
  readonly currentPrimary?: string | undefined;
  readonly systemID?: string | undefined;
  readonly timeline?: number | undefined;
  readonly isFenced: boolean;
  readonly isHibernated: boolean;
}

/** The Lease of the primary: held by this instance, free, or taken by another instance. */
export interface LeaseState {
  readonly state: 'held' | 'free' | 'taken';
  readonly holder?: string | undefined;
}

export type DataState =
  | { readonly kind: 'empty' }
  /** The data must be replaced: a rewind was interrupted or failed, or the primary no longer has the WAL that this data needs. */
  | { readonly kind: 'unusable'; readonly why: string }
  | {
      readonly kind: 'present';
      /** The role that a server would start in with this data. */
      readonly role: Role;
      readonly systemID: string;
      readonly timeline: number;
      /** Position of the shutdown checkpoint of a primary whose server has stopped cleanly. */
      readonly shutdownLSN?: string;
      /** True if the data contains WAL that the current primary does not have. */
      readonly isDiverged: boolean;
    };

export type Role = 'primary' | 'standby';

export type ServerState =
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'running';
      readonly role: Role;
      /** False while the server is starting or recovering. */
      readonly isAccepting: boolean;
      /** The instance that a standby streams from. */
      readonly upstream?: string | undefined;
    };
