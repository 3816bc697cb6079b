import type { SettleCall, Step, StepAnswer } from './plane-under-test.ts';

/** The API server to which a script is sent. */
export interface StepPlayer {
  send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<StepAnswer>;
  /** Called after each step. */
  settle(call: SettleCall): Promise<void> | void;
}

/** Sends a script and returns one response per step. */
export declare function runSteps(steps: readonly Step[], player: StepPlayer): Promise<StepAnswer[]>;
