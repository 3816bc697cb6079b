import { oneLine } from '@kubewright/apimachinery/internal';
import type { LogEventId } from '@kubewright/runtime';
import { admissionOf } from './admission-line.ts';
import { remedyOf, shortOf, titleOf } from './error-words.ts';
import { Findings } from './findings.ts';
import { type LogRecord, spanOf, subjectOf, textOf, textsOf, type WriteRecord, writesOf } from './log-record.ts';
import { type StackViewOptions, stackView } from './stack-view.ts';

const styles = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36, bold: 1 } as const;
const indent = ' '.repeat(13);
/** The minimum interval between reports of the same failure of an object, in milliseconds. */
const reportAgainMs = 1_000;
const maxRecentFailures = 1_000;

/** Fields that the line already shows, or that users do not need. */
const omittedFields: ReadonlySet<string> = new Set(
  'level ts msg event logger controller controllerGroup controllerKind namespace name reconcileID error stacktrace code webhookGroup webhookKind requestID user'.split(
    ' ',
  ),
);
/** Fields of an error, which is shown on separate lines. */
const partsOfError: ReadonlySet<string> = new Set(['what', 'why', 'remedy']);
/** Events covered by the end of the reconcile or by the line about webhooks. */
const reportedElsewhere: ReadonlySet<LogEventId> = new Set<LogEventId>([
  'child.created',
  'child.deleted',
  'permissions.reported',
  'controller.stopped',
  'manager.stopping',
  'webhook.requested',
  'webhook-server.starting',
  'certificate.watching',
]);

export interface TextFormatterOptions extends StackViewOptions {
  readonly colors: boolean;
  /** Omits the line about the operator's cluster, because the caller reports it. @defaultValue false */
  readonly isPlaced?: boolean | undefined;
}

interface RecentFailure {
  readonly error: string;
  times: number;
  reportedMs: number;
}

/** Converts an operator's log to readable text: for each reconcile, its cause, its writes and its result. */
export class TextFormatter {
  readonly #options: TextFormatterOptions;
  readonly #recentFailures = new Map<string, RecentFailure>();
  readonly #findings = new Findings();
  /** Paths of registered webhooks, kept until they are served. */
  #paths: string[] = [];

  constructor(options: TextFormatterOptions) {
    this.#options = options;
  }

  /**
   * Returns the lines to show for a record; none if another record covers it.
   *
   * @param failure - the failure of the reconcile whose end is `record`.
   */
  describe(record: LogRecord, failure?: LogRecord): readonly string[] {
    const { event } = record;
    switch (event) {
      case 'reconcile.ended':
        // If there is no failure record, the cause was a conflict or a shutdown, which another record reports.
        if (record['failed'] === true) return failure ? this.#failed(record, failure) : [];
        return this.#findings.oneMore(record)?.map((text) => this.#warning(record, text)) ?? this.#reconciled(record);
      case 'reconcile.failed':
        return this.#failed(record, record);
      case 'controller.started':
        return [this.#good(record, `controller ${oneLine(textOf(record, 'controller'))} started`)];
      case 'webhook.responded':
        return this.#admission(record);
      case 'webhook.registered':
        this.#paths.push(oneLine(textOf(record, 'path')));
        return [];
      case 'webhook-server.serving':
        return [this.#good(record, `serving webhooks: ${this.#paths.splice(0).join(', ')}`)];
      case 'config.loaded':
        return this.#options.isPlaced ? [] : this.#plain(record);
      default:
    }
    const finding = this.#findings.found(record);
    if (finding !== undefined) return [this.#warning(record, `${textOf(record, 'code')} ${finding}`)];
    return event !== undefined && reportedElsewhere.has(event) ? [] : this.#plain(record);
  }

  #reconciled(record: LogRecord): readonly string[] {
    const { failure, subject } = this.#about(record);
    this.#recentFailures.delete(subject);
    const wrote = writesOf(record).filter(({ action }) => action !== 'unchanged');
    const again = failure ? `; recovered after ${times(failure.times)}` : '';
    const head = `${this.#time(record)} ${this.#paint('cyan', '▶')} ${this.#paint('bold', subject)}`;
    const end = `${spanOf(Number(record['tookMs']))}${nextOf(record, '; next run in')}${again}`;
    const because = this.#paint('dim', causesOf(record));
    if (wrote.length === 0) {
      const nothing = `nothing to write, ${end}`;
      return [`${head}  ${because}${this.#paint('dim', because === '' ? nothing : `: ${nothing}`)}`];
    }
    return [
      `${head}  ${because}`.trimEnd(),
      `${indent}  ${wrote.map((each) => this.#write(each, record)).join('   ')}`,
      `${indent}${this.#paint('green', '✓')} ${end}`,
    ];
  }

  /** @param record - the end of the reconcile, or the failure itself if ends are not logged. */
  #failed(record: LogRecord, failure: LogRecord): readonly string[] {
    const { failure: known, subject } = this.#about(record);
    const error = textOf(failure, 'error');
    const nowMs = Date.parse(record.ts);
    const isAlone = record === failure;
    const next = nextOf(record, 'retry in') || (isAlone ? '' : 'not retried until something changes');
    const head = `${this.#time(record)} ${this.#paint('red', '✗')} ${this.#paint('bold', subject)}`;
    if (known?.error === error) {
      known.times++;
      const isRare = Number(record['nextInMs'] ?? 0) >= reportAgainMs || nowMs - known.reportedMs >= reportAgainMs;
      if (!isRare) return [];
      known.reportedMs = nowMs;
      return [`${head}  still failing after ${known.times} attempts: ${short(shortOf(failure))}${next && `; ${next}`}`];
    }
    if (this.#recentFailures.size >= maxRecentFailures) this.#recentFailures.clear();
    this.#recentFailures.set(subject, { error, times: 1, reportedMs: nowMs });
    return [
      `${head}  ${this.#paint('dim', causesOf(record))}`.trimEnd(),
      ...this.#error(failure),
      ...(next === '' ? [] : [`${indent}${this.#paint('red', next)}`]),
    ];
  }

  #plain(record: LogRecord): readonly string[] {
    const { level, msg } = record;
    const { subject } = this.#about(record);
    const sign = { debug: '·', info: '·', warn: this.#paint('yellow', '!'), error: this.#paint('red', '✗') }[level];
    const rest = restOf(record);
    // A code that users can look up: kubewright explain CODE.
    const code = /^KW\d{4}$/.test(textOf(record, 'code')) ? textOf(record, 'code') : '';
    const error = record['error'] === undefined ? '' : shortOf(record);
    // Expected errors, such as conflicts, take one line.
    const isExpected = error !== '' && (level === 'info' || level === 'debug');
    const text = isExpected ? `${oneLine(msg)}: ${oneLine(error)}` : oneLine(msg);
    const line = [this.#time(record), sign, subject, code, text, rest && this.#paint('dim', rest)];
    return [line.filter((part) => part !== '').join(' '), ...(error === '' || isExpected ? [] : this.#error(record))];
  }

  #error(record: LogRecord): readonly string[] {
    const stack = textOf(record, 'stacktrace');
    const view = stackView(stack, this.#options).map((line) => this.#frameLine(line));
    const [title = '', ...more] = titleOf(record);
    return [this.#paint('red', title), ...more, ...view, ...remedyOf(record)].map((line) => `${indent}${line}`);
  }

  #admission(record: LogRecord): readonly string[] {
    const { text, isRejection } = admissionOf(record);
    // The loop's writes are reported as a rate.
    if (!isRejection && this.#findings.isAboutLoop(record)) return [];
    const sign = isRejection ? this.#paint('yellow', '!') : '·';
    const line = `${this.#time(record)} ${sign} ${this.#paint('bold', subjectOf(record))}  ${this.#paint('dim', oneLine(text))}`;
    return [line];
  }

  #good(record: LogRecord, text: string): string {
    return `${this.#time(record)} ${this.#paint('green', '✓')} ${text}`;
  }

  #warning(record: LogRecord, text: string): string {
    return `${this.#time(record)} ${this.#paint('yellow', '!')} ${this.#paint('bold', subjectOf(record))}  ${oneLine(text)}`;
  }

  #frameLine(line: string): string {
    return /^ {2}|^…|^at /.test(line)
      ? this.#paint(/\|\s*\^$/.test(line) ? 'red' : 'dim', line)
      : this.#paint('cyan', line);
  }

  /** Formats a write, such as `+ ConfigMap x` for a created ConfigMap; omits the namespace if it is the reconciled object's. */
  #write({ action, kind, namespace = '', name, subresource }: WriteRecord, record: LogRecord): string {
    const sign = { created: '+', changed: '~', deleted: '-' }[action] ?? `${action}:`;
    const isNear = namespace === textOf(record, 'namespace');
    if (kind === record['controllerKind'] && isNear && name === textOf(record, 'name'))
      return `${sign} its ${subresource ?? 'own fields'}`;
    const where = isNear || namespace === '' ? name : `${namespace}/${name}`;
    return oneLine(`${sign} ${kind} ${where}${subresource === undefined ? '' : ` ${subresource}`}`);
  }

  #about(record: LogRecord): { readonly subject: string; readonly failure: RecentFailure | undefined } {
    const subject = subjectOf(record);
    return { subject, failure: this.#recentFailures.get(subject) };
  }

  #time({ ts }: LogRecord): string {
    return this.#paint('dim', oneLine(ts.slice(11, 23)));
  }

  #paint(style: keyof typeof styles, text: string): string {
    return this.#options.colors && text !== '' ? `\u001b[${styles[style]}m${text}\u001b[0m` : text;
  }
}

function causesOf(record: LogRecord): string {
  const causes = textsOf(record, 'because').map(oneLine);
  return causes.length === 0 ? '' : `because ${causes.join('; ')}`;
}

function nextOf({ nextInMs }: LogRecord, words: string): string {
  return typeof nextInMs === 'number' ? `${words} ${spanOf(nextInMs)}` : '';
}

function times(count: number): string {
  return count === 1 ? 'one failure' : `${count} failures`;
}

/** Shortens a long text in the middle: its start says what failed, its end usually why. */
function short(text: string): string {
  const line = oneLine(text);
  return line.length > 160 ? `${line.slice(0, 60)} … ${line.slice(-95)}` : line;
}

function restOf(record: LogRecord): string {
  const isLeft = (key: string): boolean =>
    !omittedFields.has(key) && (record['error'] === undefined || !partsOfError.has(key));
  return Object.entries(record)
    .filter(([key, value]) => isLeft(key) && key !== record['controllerKind'] && value !== undefined)
    .map(([key, value]) => `${oneLine(key)}=${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`)
    .join(' ');
}
