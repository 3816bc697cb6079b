/** Messages of etcd's protocol, as the client decodes them: all fields are present, and 64-bit integers are numbers. */

interface Header {
  readonly revision: number;
}

/** A key with its value. */
export interface EtcdKeyValue {
  readonly key: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  readonly value: Buffer;
}

/** A change. `type` is 0 for a put, 1 for a deletion. */
export interface EtcdEvent {
  readonly type: number;
  readonly kv: EtcdKeyValue;
  readonly prevKv: EtcdKeyValue | null;
}

/** A read of one key, or of all keys from `key` up to, but not including, `rangeEnd`. */
export interface RangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd?: Uint8Array | undefined;
  readonly limit?: number | undefined;
  readonly revision?: number | undefined;
  readonly countOnly?: boolean;
}

/** The response to a {@link RangeRequest}. */
export interface RangeResponse {
  readonly header: Header;
  readonly kvs: readonly EtcdKeyValue[];
  readonly more: boolean;
  readonly count: number;
}

/** A transaction: runs `success` if all compares hold, otherwise `failure`. */
export interface TxnRequest {
  readonly compare: readonly {
    /** 0: equal, 2: less. */
    readonly result: number;
    /** 0: version, 2: revision of the last change. */
    readonly target: number;
    readonly key: Uint8Array;
    /** Compares all keys from `key` up to, but not including, `rangeEnd`. */
    readonly rangeEnd?: Uint8Array;
    readonly version?: number;
    readonly modRevision?: number;
  }[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

/** One operation of a transaction. */
export type RequestOp =
  | { readonly requestRange: RangeRequest }
  | {
      readonly requestPut: {
        readonly key: Uint8Array;
        readonly value: Uint8Array;
        readonly lease?: number | undefined;
      };
    }
  | { readonly requestDeleteRange: { readonly key: Uint8Array } };

/** The response to a {@link TxnRequest}. */
export interface TxnResponse {
  readonly header: Header;
  readonly succeeded: boolean;
  readonly responses: readonly { readonly responseRange: RangeResponse | null }[];
}

/** A request on the stream of a watch. */
export type WatchRequest =
  | {
      readonly createRequest: {
        readonly key: Uint8Array;
        readonly rangeEnd: Uint8Array;
        readonly startRevision: number;
        readonly prevKv: true;
        readonly fragment: true;
      };
    }
  | { readonly progressRequest: object };

/** A response on the stream of a watch. Without events, it confirms that all changes up to its revision have been sent. */
export interface WatchResponse {
  readonly header: Header;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly fragment: boolean;
  readonly events: readonly EtcdEvent[];
}
