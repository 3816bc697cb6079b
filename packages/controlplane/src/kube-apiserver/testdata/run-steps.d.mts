import type { SettleCall, Step, StepAnswer } from './plane-under-test.ts';

/** The server that a script is played against. */
export interface StepPlayer {
  send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<StepAnswer>;
  /** Called after each step. */
  settle(call: SettleCall): Promise<void> | void;
}

/** Plays a script and returns one answer per step. */
export declare function runSteps(steps: readonly Step[], player: StepPlayer): Promise<StepAnswer[]>;
