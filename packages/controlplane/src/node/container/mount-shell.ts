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
 * because all its memory is prepared for copying; a shell is small. The shell ends with this process.
 */
export class MountShell implements Disposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();
  #next = 0;
  #ended: string | undefined;

  /** @param words - command line that starts a shell; the shell's arguments are appended. */
  constructor([file = '', ...words]: readonly string[]) {
    const child = spawn(file, [...words, '-c', loop], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child = child;
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => this.#respond(line));
    child.once('error', (error) => this.#end(error.message)).once('close', () => this.#end('the shell has ended'));
    // The shell must not keep this process running while nothing waits for it.
    child.unref();
    this.#ref(false);
  }

  /** Runs commands one after the other, until one fails. @throws MountShellError with the output of the command that failed */
  async run(...commands: readonly (readonly string[])[]): Promise<void> {
    const line = commands.map((words) => words.map(quoted).join(' ')).join(' && ');
    if (line.includes('\n')) throw new MountShellError(`a path contains a line break: ${line}`);
    if (this.#ended !== undefined) throw new MountShellError(this.#ended);
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
    this.#child.stdin?.destroy();
    this.#child.kill('SIGKILL');
  }

  #respond(line: string): void {
    const [id, code, ...output] = line.split(' ');
    const waiting = this.#waiting.get(Number(id));
    if (code === '0') waiting?.resolve();
    else waiting?.reject(new MountShellError(output.join(' ') || `a program ended with code ${code}`));
  }

  #end(why: string): void {
    this.#ended ??= why;
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
