/** Sends a request to an API server. */
export type CallServer = (
  method: string,
  path: string,
  body?: unknown,
  type?: string,
) => Promise<{ readonly status: number; readonly json: unknown }>;

export declare const nodeName: string;

/** Creates the player's node and reports it healthy. */
export declare function createNode(call: CallServer): Promise<void>;

/** Reports that the node is healthy; a real node controller treats silent nodes as lost. */
export declare function refreshNode(call: CallServer): Promise<void>;
