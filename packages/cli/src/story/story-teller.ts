import { oneLine } from '@kubewright/apimachinery/internal';
import { admissionOf } from './admission-line.ts';
import { deniedText, remedyOf, titleOf } from './error-words.ts';
import { Findings } from './findings.ts';
import { type LogRecord, spanOf, subjectOf, textOf, textsOf } from './log-record.ts';
import { type StackViewOptions, stackView } from './stack-view.ts';

const styles = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36, bold: 1 } as const;
const indent = ' '.repeat(13);
/** The minimum interval between reports of the same failure of an object, in milliseconds. */
const tellAgainMs = 1_000;
const mostTroubles = 1_000;

/** Fields that the line already shows, or that users do not need. */
const said: ReadonlySet<string> = new Set(
  'level ts msg logger controller controllerGroup controllerKind namespace name reconcileID error stacktrace code webhookGroup webhookKind requestID user'.split(
    ' ',
  ),
);
/** Messages covered by the end of the reconcile or by the line about webhooks. */
const toldElsewhere =
  /^(created|deleted) the |^Reconciler error|^permissions$|^starting workers$|^all workers finished$|^stopping$|^received request$|^Registering webhook$|^Starting webhook server$|^Starting certificate poll/;

/** Options of a story teller. */
export interface StoryOptions extends StackViewOptions {
  readonly colors: boolean;
  /** Omits the cluster the operator works in, because its starter reports that. @defaultValue false */
  readonly isPlaced?: boolean | undefined;
}

interface Trouble {
  readonly error: string;
  times: number;
  toldMs: number;
}

/** Converts an operator's log to text for people: for each reconcile its cause, its writes and its result. */
export class StoryTeller {
  readonly #options: StoryOptions;
  /** Errors by reconcile ID, kept until their reconcile ends. */
  readonly #errors = new Map<string, LogRecord>();
  readonly #troubles = new Map<string, Trouble>();
  readonly #findings = new Findings();
  /** Paths of registered webhooks, kept until they are served. */
  #paths: string[] = [];

  constructor(options: StoryOptions) {
    this.#options = options;
  }

  /** Returns the lines to show for a record; none if another record covers it. */
  tell(record: LogRecord): readonly string[] {
    const { msg } = record;
    switch (msg) {
      case 'reconciled':
        return this.#findings.oneMore(record)?.map((text) => this.#warning(record, text)) ?? this.#reconciled(record);
      case 'reconcile failed':
        return this.#failed(record);
      case 'starting workers':
        return [this.#good(record, `controller ${oneLine(textOf(record, 'controller'))} works`)];
      case 'wrote response':
        return this.#admission(record);
      case 'Registering webhook':
        this.#paths.push(oneLine(textOf(record, 'path')));
        return [];
      case 'Serving webhook server':
        return [this.#good(record, `webhooks are served: ${this.#paths.splice(0).join(', ')}`)];
      case 'using the configuration':
        return this.#options.isPlaced ? [] : this.#plain(record);
      default:
    }
    if (msg.startsWith('Reconciler error')) {
      this.#errors.set(textOf(record, 'reconcileID'), record);
      return [];
    }
    const finding = this.#findings.found(record);
    if (finding !== undefined) return [this.#warning(record, `${textOf(record, 'code')} ${finding}`)];
    return toldElsewhere.test(msg) ? [] : this.#plain(record);
  }

  #reconciled(record: LogRecord): readonly string[] {
    const { trouble, subject } = this.#about(record);
    this.#troubles.delete(subject);
    const wrote = textsOf(record, 'wrote').filter((each) => !each.startsWith('left unchanged'));
    const again = trouble ? `; works again after ${times(trouble.times)}` : '';
    const head = `${this.#time(record)} ${this.#paint('cyan', '▶')} ${this.#paint('bold', subject)}`;
    const end = `${spanOf(Number(record['tookMs']))}${nextOf(record, '; runs again in')}${again}`;
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

  #failed(record: LogRecord): readonly string[] {
    const id = textOf(record, 'reconcileID');
    const failure = this.#errors.get(id);
    this.#errors.delete(id);
    // A conflict or a shutdown: already reported as such.
    if (!failure) return [];
    const { trouble: known, subject } = this.#about(record);
    const error = textOf(failure, 'error');
    const nowMs = Date.parse(record.ts);
    const next = nextOf(record, 'next try in') || 'not tried again until something changes';
    const head = `${this.#time(record)} ${this.#paint('red', '✗')} ${this.#paint('bold', subject)}`;
    if (known?.error === error) {
      known.times++;
      const isRare = Number(record['nextInMs'] ?? 0) >= tellAgainMs || nowMs - known.toldMs >= tellAgainMs;
      if (!isRare) return [];
      known.toldMs = nowMs;
      return [`${head}  still failing, ${known.times} times by now: ${short(deniedText(error) ?? error)}; ${next}`];
    }
    if (this.#troubles.size >= mostTroubles) this.#troubles.clear();
    this.#troubles.set(subject, { error, times: 1, toldMs: nowMs });
    return [
      `${head}  ${this.#paint('dim', causesOf(record))}`.trimEnd(),
      ...this.#error(failure),
      `${indent}${this.#paint('red', next)}`,
    ];
  }

  #plain(record: LogRecord): readonly string[] {
    const { level, msg } = record;
    const { subject } = this.#about(record);
    const sign = { debug: '·', info: '·', warn: this.#paint('yellow', '!'), error: this.#paint('red', '✗') }[level];
    const rest = restOf(record);
    // A code that users can look up: kubewright explain CODE.
    const code = /^KW\d{4}$/.test(textOf(record, 'code')) ? textOf(record, 'code') : '';
    const line = [this.#time(record), sign, subject, code, oneLine(msg), rest && this.#paint('dim', rest)];
    return [
      line.filter((part) => part !== '').join(' '),
      ...(record['error'] === undefined ? [] : this.#error(record)),
    ];
  }

  #error(record: LogRecord): readonly string[] {
    const stack = textOf(record, 'stacktrace');
    const error = textOf(record, 'error');
    const view = stackView(stack, this.#options).map((line) => this.#frameLine(line));
    const [title = '', ...more] = deniedText(error)?.split('\n') ?? titleOf(error, stack);
    return [this.#paint('red', title), ...more, ...view, ...remedyOf(error)].map((line) => `${indent}${line}`);
  }

  #admission(record: LogRecord): readonly string[] {
    const { text, isRefusal } = admissionOf(record);
    // The loop's writes are reported as a rate.
    if (!isRefusal && this.#findings.isAboutLoop(record)) return [];
    const sign = isRefusal ? this.#paint('yellow', '!') : '·';
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

  /** `created ConfigMap.v1 default/x` → `+ ConfigMap x`, omitting the object's own namespace. */
  #write(text: string, record: LogRecord): string {
    const [, what = '', kind = '', name = '', subresource] =
      /^(created|changed|deleted|was refused|could not send) (\S+) (\S*)(?: (\S+))?$/.exec(text) ?? [];
    if (what === '') return oneLine(text);
    const sign = { created: '+', changed: '~', deleted: '-' }[what] ?? `${what}:`;
    const short = kind.split('.')[0] ?? kind;
    const namespace = textOf(record, 'namespace');
    const ownName = namespace === '' ? textOf(record, 'name') : `${namespace}/${textOf(record, 'name')}`;
    if (short === record['controllerKind'] && name === ownName) return `${sign} its ${subresource ?? 'own fields'}`;
    const where = namespace !== '' && name.startsWith(`${namespace}/`) ? name.slice(namespace.length + 1) : name;
    return `${sign} ${short} ${where}${subresource === undefined ? '' : ` ${subresource}`}`;
  }

  #about(record: LogRecord): { readonly subject: string; readonly trouble: Trouble | undefined } {
    const subject = subjectOf(record);
    return { subject, trouble: this.#troubles.get(subject) };
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

function short(text: string): string {
  const line = oneLine(text);
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

function restOf(record: LogRecord): string {
  return Object.entries(record)
    .filter(([key, value]) => !said.has(key) && key !== record['controllerKind'] && value !== undefined)
    .map(([key, value]) => `${oneLine(key)}=${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`)
    .join(' ');
}
