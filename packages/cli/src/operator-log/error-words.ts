import { oneLine } from '@kubewright/apimachinery/internal';
import { type DeniedCall, deniedCall, grantingComment } from '../permissions/denied-call.ts';
import { type LogRecord, textOf } from './log-record.ts';

/** Returns the code of an error in a log record, for `kubewright explain`; undefined if the error has none. */
export function codeOf(record: LogRecord): string | undefined {
  return deniedIn(record) ? 'KW7604' : textOf(record, 'code') || undefined;
}

/** Returns the lines of an error: its code or the name of its class, what failed, and why. */
export function titleOf(record: LogRecord): readonly string[] {
  const denied = deniedIn(record);
  if (denied) return [`KW7604 ${denialOf(denied)}`];
  const [code, what, why] = ['code', 'what', 'why'].map((field) => textOf(record, field));
  if (what) return [oneLine(`${code} ${what}`), ...(why ? why.split('\n').map((line) => `why: ${oneLine(line)}`) : [])];
  const error = textOf(record, 'error');
  const name = /^(\w+)(?: \[\w+\])?(?::|\n|$)/.exec(textOf(record, 'stacktrace'))?.[1];
  const [first = '', ...more] = error.split('\n').map(oneLine);
  return [name === undefined || error.startsWith(name) ? first : `${name}: ${first}`, ...more];
}

/** Returns the error in one line, without the remedy. */
export function shortOf(record: LogRecord): string {
  const denied = deniedIn(record);
  if (denied) return `KW7604 ${denialOf(denied)}`;
  const [what, why] = ['what', 'why'].map((field) => textOf(record, field));
  return what ? `${what}${why ? `: ${why}` : ''}` : textOf(record, 'error');
}

/** Returns the lines that say how to fix an error. */
export function remedyOf(record: LogRecord): readonly string[] {
  const denied = deniedIn(record);
  const remedy = textOf(record, 'remedy');
  if (!denied) return remedy === '' ? [] : [`fix: ${oneLine(remedy)}`];
  return [
    'declare the kind where the generator finds it (owns, watches, typed client calls), or add this comment above runOperator in src/main.ts',
    '(kubewright rbac --fix does this):',
    oneLine(grantingComment(denied)),
  ];
}

/** Returns the comment that grants the permission a denied call needs; undefined for any other error. */
export function grantIn(record: LogRecord): string | undefined {
  const denied = deniedIn(record);
  return denied && oneLine(grantingComment(denied));
}

/** Finds a call that the API server denied. Only the error message contains the verb. */
function deniedIn(record: LogRecord): DeniedCall | undefined {
  return deniedCall(textOf(record, 'error'));
}

function denialOf({ permission: { group, resource, verb } }: DeniedCall): string {
  const of = group === '' ? '' : ` of ${group}`;
  return oneLine(`the operator is not allowed to ${verb} ${resource}${of}: its roles do not grant this permission`);
}
