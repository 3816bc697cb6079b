import { beforeAll, describe, expect, it } from 'vitest';
import {
  comparable,
  PlaneUnderTest,
  recordedAnswers,
  type SettleCall,
  type Step,
  type StepAnswer,
} from './plane-under-test.ts';

/** A response of this server that intentionally differs from upstream's. */
export interface Difference {
  readonly status: number;
  readonly why: string;
}

/** A script, the real server's responses to it, and how the two are compared. */
export interface Replay {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The file that `record-steps.mjs` has written. */
  readonly recorded: URL;
  /** The complete list of steps, by number, whose responses intentionally differ. */
  readonly differences?: Readonly<Record<number, Difference>>;
  /** Removes parts that are not compared from both responses. */
  readonly adjust?: (answer: StepAnswer, step: Step) => StepAnswer;
  /** Runs after each step and does what upstream's controllers do in the meantime. */
  readonly settle?: (plane: PlaneUnderTest) => (call: SettleCall) => Promise<void>;
}

/** Runs a script against an in-memory control plane. Each response is one test. */
export function replaySteps(replay: Replay): void {
  const { name, steps, differences = {}, adjust = (answer) => answer } = replay;
  const recorded = recordedAnswers(replay.recorded);

  describe(`${name}, as recorded from the real API server`, () => {
    let answers: StepAnswer[] = [];

    beforeAll(async () => {
      await using plane = await PlaneUnderTest.start();
      answers = await plane.play(steps, replay.settle?.(plane));
      expect(plane.errors).toEqual([]);
    });

    for (const [index, step] of steps.entries()) {
      const [method, path, body] = step;
      it(`${index}: ${method} ${path.slice(0, 100)} ${JSON.stringify(body ?? '').slice(0, 160)}`, () => {
        const want = comparable(adjust(recorded[index] as StepAnswer, step));
        const got = answers[index] as StepAnswer;
        const difference = differences[index];
        if (difference === undefined) {
          expect(comparable(adjust(got, step))).toEqual(want);
          return;
        }
        expect(comparable(adjust(got, step)), `difference no longer exists: ${difference.why}`).not.toEqual(want);
        expect(got.status, difference.why).toBe(difference.status);
      });
    }
  });
}
