import { defined } from '@kubewright/apimachinery/internal';
import type { LogEventId } from '@kubewright/runtime';
import { codeOf, grantIn } from './error-words.ts';
import { type LogRecord, subjectOf, textOf, textsOf, writesOf } from './log-record.ts';

/** Events that are reported at the end of the reconcile or used only by `rbac`. */
const reportedElsewhere: ReadonlySet<LogEventId> = new Set<LogEventId>([
  'child.created',
  'child.deleted',
  'permissions.reported',
  'webhook.requested',
]);
/** Fields that a reconcile record contains in another form. */
const inSubject: ReadonlySet<string> = new Set(['controllerGroup', 'controllerKind', 'namespace', 'name']);

/** Converts an operator's log to machine-readable records: one per reconcile, one for everything else. */
export class RecordFormatter {
  /**
   * Returns the record for a log line; undefined if another record covers it.
   *
   * @param failure - the failure of the reconcile whose end is `record`.
   */
  describe(record: LogRecord, failure?: LogRecord): object | undefined {
    const { event } = record;
    if (event === 'reconcile.ended') return { reconcile: this.#reconcile(record, failure) };
    if (event !== undefined && reportedElsewhere.has(event)) return undefined;
    const fields = Object.entries(record).filter(([field]) => !inSubject.has(field));
    return { log: { ...Object.fromEntries(fields), ...('name' in record && { object: subjectOf(record) }) } };
  }

  #reconcile(record: LogRecord, failure: LogRecord | undefined): object {
    return {
      ts: record.ts,
      controller: textOf(record, 'controller'),
      object: subjectOf(record),
      because: textsOf(record, 'because'),
      wrote: writesOf(record),
      ms: record['tookMs'],
      ...defined({ next: record['nextInMs'] }),
      ...(failure ? { error: errorOf(failure) } : record['failed'] === true && { error: {} }),
    };
  }
}

function errorOf(failure: LogRecord): object {
  const code = codeOf(failure);
  const rule = grantIn(failure);
  return {
    message: textOf(failure, 'error'),
    ...defined({ code, rule }),
    stack: textOf(failure, 'stacktrace'),
  };
}
