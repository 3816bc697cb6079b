import { type Clock, sleep } from '@kubewright/apimachinery';

/** Interval between checks of the primary. */
const checkMs = 100;

/** Runs a long action, and aborts it as soon as another instance becomes the primary. */
export async function whilePrimaryStays(
  primary: string,
  options: {
    readonly targetPrimary: () => string | undefined;
    readonly act: (signal: AbortSignal) => Promise<void>;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { targetPrimary, act, clock, signal } = options;
  const changed = new AbortController();
  const check = async (): Promise<void> => {
    while (!changed.signal.aborted && targetPrimary() === primary) {
      await sleep(clock, { ms: checkMs, signal: changed.signal }).catch(() => undefined);
    }
    changed.abort(new Error(`${primary} is no longer the primary`));
  };
  const checking = check();
  try {
    await act(AbortSignal.any([signal, changed.signal]));
  } finally {
    changed.abort();
    await checking;
  }
}
