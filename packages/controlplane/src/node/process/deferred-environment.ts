import { existsSync } from 'node:fs';

/** A command that sets its own environment, and the environment to start it with. */
export interface DeferredCommand {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Exports each variable under its own name, then runs the command. */
const script = `cd -- "$1" || exit
__kw=$2
shift 2
while [ "$__kw" -gt 0 ]; do
  eval "command export $1=\\"\\$__kw_$__kw\\"; unset __kw_$__kw"
  __kw=$((__kw - 1))
  shift
done
exec "$@"`;

/**
 * Wraps a command so that a shell sets its environment and working folder. Put the command prefix that switches to
 * another user before the result: the prefix's programs run with more privileges, and variables such as `LD_PRELOAD`
 * must not reach them. Until the shell runs, values are in variables with other names. Values are not passed as
 * arguments, because all users can see arguments. Only bash keeps variables whose names a shell cannot set (`a.b`);
 * without bash, these variables are lost.
 */
export function withDeferredEnvironment(
  command: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly sh: string;
    /** @defaultValue `/bin/bash` */
    readonly bash?: string | undefined;
    readonly folder: string;
    /** File descriptor of the shell that the command must not inherit. */
    readonly closes?: number;
    /** Lines that the shell runs first. */
    readonly before?: string;
    readonly exists?: (path: string) => boolean;
  },
): DeferredCommand {
  const { env, sh, bash = '/bin/bash', folder, closes, before, exists = existsSync } = options;
  const settable = Object.entries(env).filter(([name]) => isSettable(name));
  const others = Object.entries(env).filter(([name]) => !isSettable(name));
  const shell = others.length > 0 && exists(bash) ? bash : sh;
  const close = closes === undefined ? undefined : `exec ${closes}>&-`;
  const whole = [before, close, script].filter((lines) => lines !== undefined).join('\n');
  const names = settable.map(([name]) => name);
  const values = settable.map(([, value], index) => [`__kw_${names.length - index}`, value]);
  return {
    words: [shell, '-c', whole, 'sh', folder, String(names.length), ...names, ...command],
    env: Object.fromEntries([...others, ...values]),
  };
}

/** Returns true if a shell can set a variable of this name. All variables that affect how a program starts have such names. */
function isSettable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}
