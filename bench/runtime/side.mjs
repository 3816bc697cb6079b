// Runs the program of one implementation in a child process: sends commands, reads responses, and measures the process
// from outside.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Ticks of CPU time per second on Linux. */
const ticks = 100;

export class Side {
  #child;
  #answers = [];
  #wake = () => {};

  constructor(command, args, env = {}) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#answers.push(JSON.parse(line));
      this.#wake();
    });
    this.#child.once('exit', (code) => {
      if (code) this.#answers.push({ at: 'failed', code });
      this.#wake();
    });
  }

  tell(command) {
    this.#child.stdin.write(`${command}\n`);
  }

  /** Returns the next response, which must belong to the named command. */
  async hear(at) {
    while (this.#answers.length === 0) {
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
    const answer = this.#answers.shift();
    if (answer.at !== at) throw new Error(`expected "${at}", got ${JSON.stringify(answer)}`);
    return answer;
  }

  async ask(command) {
    this.tell(command);
    return this.hear(command.split(' ')[0]);
  }

  /** Resident memory in bytes: current and peak. */
  get memory() {
    const text = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const kilobytes = (name) => Number(text.match(new RegExp(`^${name}:\\s+(\\d+)`, 'm'))[1]);
    return { resident: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
  }

  /** CPU time of all threads so far, in milliseconds. */
  get cpuMs() {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks;
  }

  async end() {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}
