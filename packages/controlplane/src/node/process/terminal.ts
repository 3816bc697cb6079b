import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TerminalSize } from '../../kube-apiserver/pods/node-connector.ts';
import { endedTime, type ProcessIdentity, readStat } from './process-identity.ts';

/**
 * Finds the system's `script` program (util-linux 2.35 and newer), which creates terminals for commands. Node cannot
 * create terminals, and an addon would have to be built. On other systems, `script` takes different arguments.
 */
export function findTerminalProgram(options: {
  readonly platform: NodeJS.Platform;
  readonly path: string;
  /** True if a file exists. @defaultValue checks the disk */
  readonly exists?: (path: string) => boolean;
}): string | undefined {
  const { platform, path, exists = existsSync } = options;
  if (platform !== 'linux') return undefined;
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return [...folders, '/usr/bin'].map((folder) => join(folder, 'script')).find(exists);
}

/** The reason why commands cannot run on terminals if {@link findTerminalProgram} finds nothing. */
export const noTerminalProgram =
  'TTY is not supported on this node: the script program of util-linux is not installed; install it, or omit -t';

/**
 * Returns the command line that runs a command on its own terminal. The command reports its pid and terminal on a fourth stream.
 */
export function onTerminal(program: string, command: readonly string[]): readonly string[] {
  // `command -p` ignores a `tty` in the container's own PATH.
  const line = `echo "$$ $(command -p tty)" >&3; exec 3>&-; exec ${command.map(quote).join(' ')}`;
  return [program, '-q', '-e', '-f', '-E', 'always', '-c', line, '/dev/null'];
}

/** Returns the additional settings to start a command on a terminal. */
export function terminalSettings(env: Readonly<Record<string, string>>): {
  readonly stdio: readonly 'pipe'[];
  readonly env: Readonly<Record<string, string>>;
} {
  return {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // `script` runs the command line with this shell. TERM is the same as with a kubelet.
    env: { TERM: 'xterm', ...env, SHELL: '/bin/sh' },
  };
}

/** A started command and its terminal. */
export interface Terminal {
  /** Leader of the terminal's session. */
  readonly leader: ProcessIdentity;
  /** `/dev/pts/3` */
  readonly path: string;
}

/**
 * Reads the first report of a command on a terminal. Returns `undefined` if the command ended before its report, or if
 * the command did not start the reported process. The report comes from the container, which must not make the agent
 * signal other processes.
 */
export function readTerminal(child: ChildProcess): Promise<Terminal | undefined> {
  return new Promise((resolve) => {
    const report = child.stdio[3];
    let text = '';
    const done = (): void => {
      const [, pid, path = ''] = /^(\d+) (\/dev\/pts\/\d+)\n/.exec(text) ?? [];
      const leader = pid === undefined ? undefined : sessionLeader(Number(pid), { parent: child.pid });
      resolve(leader && { leader, path });
    };
    if (!report) return resolve(undefined);
    report.on('data', (chunk: unknown) => {
      text += String(chunk);
      if (text.includes('\n') || text.length > 256) done();
    });
    report.on('error', done).on('close', done);
    return undefined;
  });
}

/** Identifies a process that leads its own session and was started by `parent`; `undefined` for any other process. */
function sessionLeader(pid: number, { parent }: { readonly parent: number | undefined }): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  try {
    const found = readStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    if (found.parent !== parent || found.session !== pid || found.started === endedTime) return undefined;
    return { pid, started: found.started };
  } catch {
    // The process has ended.
    return undefined;
  }
}

/** Returns the command line that resizes a terminal. */
export function resizeCommand({ path }: Terminal, { columns, rows }: TerminalSize): readonly string[] {
  return ['stty', '-F', path, 'cols', String(columns), 'rows', String(rows)];
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
