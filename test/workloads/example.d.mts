import type { CallServer } from '../../packages/controlplane/src/controllers/testdata/player.mjs';

/**
 * Creates the objects of a manifest and simulates nodes. Calls `settled` with a function that reads the normalized state.
 */
export declare function runExample<T>(
  documents: readonly object[],
  options: {
    readonly call: CallServer;
    readonly namespace: string;
    readonly pause: () => Promise<void>;
    readonly settled: (read: () => Promise<object>) => Promise<T>;
  },
): Promise<T>;
