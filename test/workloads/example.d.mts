import type { CallServer } from '../../packages/controlplane/src/controllers/testdata/player.mjs';

/** Creates the documents, plays the nodes, and passes a function that reads the normalized state to `settled`. */
export declare function runExample<T>(
  documents: readonly object[],
  options: {
    readonly call: CallServer;
    readonly namespace: string;
    readonly pause: () => Promise<void>;
    readonly settled: (read: () => Promise<object>) => Promise<T>;
  },
): Promise<T>;
