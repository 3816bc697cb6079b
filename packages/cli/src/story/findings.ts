import { type LogRecord, subjectOf, textOf, textsOf } from './log-record.ts';

/** Told of one object at most this often while its reconciles lead nowhere, in milliseconds. */
const tellAgainMs = 5_000;
/** A loop that paused for so long is over, in milliseconds. */
const restMs = 2_000;
const mostLoops = 1_000;

interface Loop {
  readonly code: string;
  /** What goes on, in a few words. */
  readonly what: string;
  /** Causes of the reconciles that belong to it. */
  because: string | undefined;
  count: number;
  fromMs: number;
  lastMs: number;
}

/** Findings of the runtime about writes that lead nowhere, and the reconciles that belong to them. */
export class Findings {
  readonly #loops = new Map<string, Loop>();

  /** Takes note of a finding; answers what it says for people, nothing for any other record. */
  found(record: LogRecord): string | undefined {
    const words = wordsOf(record);
    if (!words) return undefined;
    const atMs = Date.parse(record.ts);
    if (this.#loops.size >= mostLoops) this.#loops.clear();
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

  /** True for a record about an object whose reconciles lead nowhere just now. */
  isAboutLoop(record: LogRecord): boolean {
    const loop = this.#loops.get(subjectOf(record));
    return loop !== undefined && Date.parse(record.ts) - loop.lastMs < restMs;
  }

  /**
   * Takes note of a reconcile. Undefined: it is a story of its own. Otherwise it is one more of those that a finding was about:
   * what is to be said of them by now, which is mostly nothing.
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
    const causes = textsOf(record, 'because');
    const because = causes.join('; ');
    loop.because ??= because;
    // Somebody has changed something: that is worth a story, and the loop may end with it.
    if (because !== loop.because && !causes.every((cause) => cause.endsWith(', its own write'))) return undefined;
    loop.count++;
    const spanMs = atMs - loop.fromMs;
    if (spanMs < tellAgainMs) return [];
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
        said: `hot loop: ${where} was given another value ${times} times, each time because of the write before; make the value depend on what is observed only`,
        goesOn: `each gives ${where} another value, which brings about the next`,
      };
    case 'KW3051':
      return {
        said: `tug of war: ${where} was put back ${times} times, for ${others} changes it; leave the field to one of the two`,
        goesOn: `each puts ${where} back, and ${others} changes it again`,
      };
    case 'KW3052':
      return {
        said: `writes in vain: ${times} in a row changed nothing, for the server does not keep ${where} as it is sent`,
        goesOn: `each writes ${where}, which the server does not keep`,
      };
    default:
      return undefined;
  }
}
