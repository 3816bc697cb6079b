import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Runs each line as a command in the background. Responds with the line's number, the command's exit code and its output as one line.
 * A line of output is shorter than a pipe's buffer, so lines do not mix.
 */
const loop = `set -f
while read -r id line; do
  {
    out=$(eval "$line" 2>&1 </dev/null)
    code=$?
    set -- $out
    printf '%.1000s\\n' "$id $code $*"
  } &
done`;

/** Thrown if a command of a {@link MountShell} fails. */
export class MountShellError extends Error {}

/**
 * A shell of this machine that runs commands for containers. Starting a program from this process blocks it for about ten milliseconds,
 * because all its memory is prepared for copying; a shell is small. The shell starts with the first command, and again if it has
 * ended, for example because the machine could not start a process. It ends with this process.
 */
export class MountShell implements Disposable {
  readonly #words: readonly string[];
  #running: RunningShell | undefined;
  #isDisposed = false;

  /** @param words - command line that starts a shell; the shell's arguments are appended. */
  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** Runs commands one after the other, until one fails. @throws MountShellError with the output of the command that failed */
  async run(...commands: readonly (readonly string[])[]): Promise<void> {
    const line = commands.map((words) => words.map(quoted).join(' ')).join(' && ');
    if (line.includes('\n')) throw new MountShellError(`a path contains a line break: ${line}`);
    if (this.#isDisposed) throw new MountShellError(ended);
    if (this.#running === undefined || this.#running.hasEnded) this.#running = new RunningShell(this.#words);
    await this.#running.run(line);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#running?.[Symbol.dispose]();
  }
}

const ended = 'the shell has ended';

/** One start of the shell. */
class RunningShell implements Disposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();
  #next = 0;
  #isEnded = false;

  constructor([file = '', ...words]: readonly string[]) {
    const child = spawn(file, [...words, '-c', loop], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      // Its own process group, to end the commands with the shell.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child = child;
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => this.#respond(line));
    child.once('error', (error) => this.#end(error.message)).once('exit', () => this.#end(ended));
    // The shell must not keep this process running while nothing waits for it.
    child.unref();
    this.#ref(false);
  }

  get hasEnded(): boolean {
    return this.#isEnded;
  }

  async run(line: string): Promise<void> {
    const id = this.#next++;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        this.#ref(true);
        this.#child.stdin?.write(`${id} ${line}\n`);
      });
    } finally {
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#ref(false);
    }
  }

  [Symbol.dispose](): void {
    this.#end(ended);
    this.#child.stdin?.destroy();
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }

  #respond(line: string): void {
    const [id, code, ...output] = line.split(' ');
    const waiting = this.#waiting.get(Number(id));
    if (code === '0') waiting?.resolve();
    else waiting?.reject(new MountShellError(output.join(' ') || `a program ended with code ${code}`));
  }

  #end(why: string): void {
    this.#isEnded = true;
    for (const { reject } of this.#waiting.values()) reject(new MountShellError(why));
  }

  #ref(isNeeded: boolean): void {
    // The streams of a child process are sockets.
    for (const stream of [this.#child.stdin, this.#child.stdout] as unknown as readonly {
      ref(): void;
      unref(): void;
    }[]) {
      if (isNeeded) stream.ref();
      else stream.unref();
    }
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
