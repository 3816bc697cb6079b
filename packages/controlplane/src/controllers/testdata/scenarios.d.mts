import type { CallServer } from './player.mjs';

export { createNode, refreshNode } from './player.mjs';

/** The normalized state of a scenario's objects at one point. */
export interface Picture {
  readonly name: string;
  readonly state: Readonly<Record<string, unknown>>;
}

/** The scenarios, by name. Run them with {@link runScenario}. */
export declare const scenarios: Readonly<Record<string, unknown>>;

/** Runs a scenario in its own namespace while the player acts as the node. */
export declare function runScenario(
  name: string,
  options: {
    readonly call: CallServer;
    readonly namespace: string;
    readonly pause: () => Promise<void>;
    /** How many times a scenario polls before it fails. */
    readonly patience: number;
  },
): Promise<readonly Picture[]>;
