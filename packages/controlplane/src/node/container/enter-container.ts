/**
 * Variables that change how programs are loaded or where the C library reads files: the variables that glibc ignores for setuid
 * programs.
 */
const ofLoader =
  /^(LD_.*|GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|LOCPATH|MALLOC_.*|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TMPDIR|TZDIR)$/;

/** A command in a container, and the environment of the programs that start it. */
export interface EnteringCommand {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the command line and environment that start another command in a container. The programs of this machine that
 * enter the container also receive the environment. Variables that would affect these programs are therefore set by the
 * container's own `env` program, or dropped if the container has no `env`.
 *
 * @param options - `hasEnv`: true if the container has `/usr/bin/env`; `join`: command prefix that enters the container
 * as its user.
 */
export function enterContainer(
  command: readonly string[],
  options: {
    readonly join: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly workingDir: string;
    readonly hasEnv: boolean;
  },
): EnteringCommand {
  const { join, env, workingDir, hasEnv } = options;
  const safe = Object.entries(env).filter(([name]) => !ofLoader.test(name));
  const others = Object.entries(env).filter(([name]) => ofLoader.test(name));
  const setters =
    hasEnv && others.length > 0 ? ['/usr/bin/env', ...others.map(([name, value]) => `${name}=${value}`)] : [];
  return { words: [...join, `--wdns=${workingDir}`, '--', ...setters, ...command], env: Object.fromEntries(safe) };
}
