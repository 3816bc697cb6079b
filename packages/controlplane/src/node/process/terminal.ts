import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TerminalSize } from '../../kube-apiserver/pods/node-connector.ts';

/**
 * Finds the system's `script` program (util-linux 2.35 and newer), which creates terminals for commands: Node cannot create them,
 * and an addon would be one more thing to build. Other systems' programs of that name take different arguments.
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

/** Returns the words that start a command on its own terminal. The command reports its pid and terminal on a fourth stream. */
export function onTerminal(program: string, command: readonly string[]): readonly string[] {
  const line = `echo "$$ $(tty)" >&3; exec 3>&-; exec ${command.map(quote).join(' ')}`;
  return [program, '-q', '-e', '-f', '-E', 'always', '-c', line, '/dev/null'];
}

/** Returns the additional settings to start such a command. */
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

/** The pid and terminal that a started command reports. */
export interface Terminal {
  /** Leader of the terminal's session. */
  readonly pid: number;
  /** `/dev/pts/3` */
  readonly path: string;
}

/** Reads the first report of a command on a terminal; returns `undefined` if the command ended before it. */
export function readTerminal(child: ChildProcess): Promise<Terminal | undefined> {
  return new Promise((resolve) => {
    const told = child.stdio[3];
    let text = '';
    const done = (): void => {
      const [, pid, path = ''] = /^(\d+) (\/dev\/pts\/\d+)\n/.exec(text) ?? [];
      resolve(pid === undefined ? undefined : { pid: Number(pid), path });
    };
    if (!told) return resolve(undefined);
    told.on('data', (chunk: unknown) => {
      text += String(chunk);
      if (text.includes('\n') || text.length > 256) done();
    });
    told.on('error', done).on('close', done);
    return undefined;
  });
}

/** Returns the words that resize a terminal. */
export function resizeCommand({ path }: Terminal, { columns, rows }: TerminalSize): readonly string[] {
  return ['stty', '-F', path, 'cols', String(columns), 'rows', String(rows)];
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
