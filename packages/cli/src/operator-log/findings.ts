import { type LogRecord, subjectOf, textOf, textsOf } from './log-record.ts';

/** The interval at which a loop of one object is reported again, in milliseconds. */
const repeatMs = 5_000;
/** The pause after which a loop counts as ended, in milliseconds. */
const restMs = 2_000;
const maxLoops = 1_000;

interface Loop {
  readonly code: string;
  /** A short description of the loop. */
  readonly what: string;
  /** Causes of the reconciles that belong to the loop. */
  because: string | undefined;
  count: number;
  fromMs: number;
  lastMs: number;
}

/** Tracks the runtime's findings about unproductive writes, and the reconciles they cause. */
export class Findings {
  readonly #loops = new Map<string, Loop>();

  /** Records a finding and returns its human-readable text; returns undefined for any other record. */
  found(record: LogRecord): string | undefined {
    const words = wordsOf(record);
    if (!words) return undefined;
    const atMs = Date.parse(record.ts);
    if (this.#loops.size >= maxLoops) this.#loops.clear();
    const code = textOf(record, 'code');
    this.#loops.set(subjectOf(record), {
      code,
      what: words.goesOn,
      because: undefined,
      count: 0,
      fromMs: atMs,
      lastMs: atMs,
    });
    return words.said;
  }

  /** True if the record's object is currently in a loop. */
  isAboutLoop(record: LogRecord): boolean {
    const loop = this.#loops.get(subjectOf(record));
    return loop !== undefined && Date.parse(record.ts) - loop.lastMs < restMs;
  }

  /**
   * Counts a reconcile towards a loop. Returns undefined if the reconcile is not part of a loop and is reported
   * separately; otherwise the lines to print now, which are usually none.
   */
  oneMore(record: LogRecord): readonly string[] | undefined {
    const subject = subjectOf(record);
    const loop = this.#loops.get(subject);
    if (!loop) return undefined;
    const atMs = Date.parse(record.ts);
    if (atMs - loop.lastMs >= restMs) {
      this.#loops.delete(subject);
      return undefined;
    }
    loop.lastMs = atMs;
    const because = textsOf(record, 'because').join('; ');
    loop.because ??= because;
    // An external change: report it separately, because it may end the loop.
    if (because !== loop.because && record['selfTriggered'] !== true) return undefined;
    loop.count++;
    const spanMs = atMs - loop.fromMs;
    if (spanMs < repeatMs) return [];
    const rate = Math.max(1, Math.round((loop.count * 1_000) / spanMs));
    Object.assign(loop, { count: 0, fromMs: atMs });
    return [`${loop.code} ${rate === 1 ? 'one reconcile' : `${rate} reconciles`} a second: ${loop.what}`];
  }
}

function wordsOf(record: LogRecord): { readonly said: string; readonly goesOn: string } | undefined {
  const { times } = record;
  const path = textOf(record, 'path');
  const object = textOf(record, 'object');
  if (path === '' || typeof times !== 'number') return undefined;
  const where = object === '' || object === subjectOf(record) ? `its ${path}` : `${path} of ${object}`;
  const others = textsOf(record, 'managers').join(', ') || 'another writer';
  switch (textOf(record, 'code')) {
    case 'KW3050':
      return {
        said: `hot loop: ${where} changed ${times} times, each time triggered by the previous write; derive the value only from the observed state`,
        goesOn: `each reconcile changes ${where}, which triggers the next reconcile`,
      };
    case 'KW3051':
      return {
        said: `write conflict: ${where} was reset ${times} times because ${others} also changes the field; let only one of the two writers own the field`,
        goesOn: `each reconcile resets ${where}, and ${others} changes the field again`,
      };
    case 'KW3052':
      return {
        said: `ineffective writes: ${times} writes in a row changed nothing because the server does not keep ${where} as sent`,
        goesOn: `each reconcile writes ${where}, which the server does not keep`,
      };
    default:
      return undefined;
  }
}
