import { deniedText, remedyOf } from './error-words.ts';
import { type LogRecord, subjectOf, textOf, textsOf } from './log-record.ts';

/** Told by the end of the reconcile, or for `rbac` alone. */
const toldElsewhere = /^(created|deleted) the |^permissions$|^received request$/;
/** Fields that the record of a reconcile has in other words. */
const inSubject: ReadonlySet<string> = new Set(['controllerGroup', 'controllerKind', 'namespace', 'name']);

/** Tells programs what an operator's log says: one record a reconcile, one for everything else. */
export class StoryRecords {
  /** Errors that wait for the end of their reconcile, by its id. */
  readonly #errors = new Map<string, LogRecord>();

  /** The record for a line of the log; nothing where another says the same. */
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
