import { deniedText, remedyOf } from './error-words.ts';
import { type LogRecord, subjectOf, textOf, textsOf } from './log-record.ts';

/** Reported at the end of the reconcile, or only used by `rbac`. */
const toldElsewhere = /^(created|deleted) the |^permissions$|^received request$/;
/** Fields that a reconcile record contains in another form. */
const inSubject: ReadonlySet<string> = new Set(['controllerGroup', 'controllerKind', 'namespace', 'name']);

/** Converts an operator's log to records for programs: one per reconcile, one for everything else. */
export class StoryRecords {
  /** Errors by reconcile ID, kept until their reconcile ends. */
  readonly #errors = new Map<string, LogRecord>();

  /** Returns the record for a log line; undefined if another record covers it. */
  tell(record: LogRecord): object | undefined {
    const { msg } = record;
    if (msg === 'reconciled' || msg === 'reconcile failed') return { reconcile: this.#reconcile(record) };
    if (msg.startsWith('Reconciler error')) {
      this.#errors.set(textOf(record, 'reconcileID'), record);
      return undefined;
    }
    if (toldElsewhere.test(msg)) return undefined;
    const fields = Object.entries(record).filter(([field]) => !inSubject.has(field));
    return { log: { ...Object.fromEntries(fields), ...('name' in record && { object: subjectOf(record) }) } };
  }

  #reconcile(record: LogRecord): object {
    const id = textOf(record, 'reconcileID');
    const failure = this.#errors.get(id);
    this.#errors.delete(id);
    return {
      ts: record.ts,
      controller: textOf(record, 'controller'),
      object: subjectOf(record),
      because: textsOf(record, 'because'),
      wrote: textsOf(record, 'wrote'),
      ms: record['tookMs'],
      ...(record['nextInMs'] !== undefined && { next: record['nextInMs'] }),
      ...(failure ? { error: errorOf(failure) } : record.msg === 'reconcile failed' && { error: {} }),
    };
  }
}

function errorOf(failure: LogRecord): object {
  const error = textOf(failure, 'error');
  const denied = deniedText(error);
  const [code] = /^KW\d{4}/.exec(denied ?? error) ?? [];
  return {
    message: error,
    ...(code !== undefined && { code }),
    ...(denied !== undefined && { rule: remedyOf(error).at(-1) }),
    stack: textOf(failure, 'stacktrace'),
  };
}
