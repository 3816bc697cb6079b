/** Sends a request to an API server. */
export type CallServer = (
  method: string,
  path: string,
  body?: unknown,
  type?: string,
) => Promise<{ readonly status: number; readonly json: unknown }>;

export declare const nodeName: string;

/** Creates the player's node and reports it as healthy. */
export declare function createNode(call: CallServer): Promise<void>;

/** Reports the node as healthy. Without these heartbeats, a real node controller marks it as unreachable. */
export declare function refreshNode(call: CallServer): Promise<void>;
