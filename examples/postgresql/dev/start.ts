import { KubewrightError, systemClock } from '@kubewright/apimachinery';
import type { StartFlags } from './flags.mjs';
import { HeldOutput } from './held-output.ts';
import { runCluster } from './run-cluster.ts';
import { StepPrinter } from './step-printer.ts';
import { stopOnSignals } from './stop-on-signals.ts';

/**
 * The development command behind `npm start`: cluster, kind, operator, sample; returns the exit code.
 *
 * 0: stopped as asked, or `--once` has seen the sample up. 1: something failed; three lines say what.
 * 128 and the signal's number: `--once` was interrupted.
 */
export async function start(flags: StartFlags): Promise<number> {
  const exitCode = await run(flags);
  endWithin(lingerMs, exitCode);
  return exitCode;
}

/** Time for which leftovers of user code may keep the process alive after everything has stopped, in milliseconds. */
const lingerMs = 250;
/**
 * The time after which the process exits even if stopping hangs, in milliseconds. The operator and the cluster wait at
 * most 4 s for other programs. The rest of the time is for their own work, which is slow on a busy machine. Cutting
 * this work short would leave containers behind.
 */
const lastResortMs = 15_000;

/**
 * Exits the process if it does not exit on its own, so that a forgotten promise or timer does not block the terminal.
 */
function endWithin(ms: number, exitCode: number): void {
  systemClock.setTimer(ms, () => process.exit(exitCode), { unref: true });
}

async function run(flags: StartFlags): Promise<number> {
  const { stdout } = process;
  const colors = stdout.isTTY === true && !process.env['NO_COLOR'];
  const steps = new StepPrinter({ clock: systemClock, output: stdout, sinceMs: process.uptime() * 1000, colors });
  const held = new HeldOutput(stdout);
  using stop = stopOnSignals(process, stdout);
  // A closed stderr must not stop the cluster.
  process.stderr.on('error', () => undefined);
  stop.signal.addEventListener('abort', () => endWithin(lastResortMs, stop.exitCode), { once: true });
  // The terminal has just written ^C into the current line.
  if (stdout.isTTY) stop.signal.addEventListener('abort', () => steps.text('\n'), { once: true });
  try {
    await runCluster(flags, { steps, held, colors, signal: stop.signal });
    if (!stop.signal.aborted) return 0;
  } catch (error) {
    if (!stop.signal.aborted) {
      process.stderr.write(`${textOf(error)}\n`);
      return 1;
    }
  }
  steps.text('stopped\n');
  return flags.once ? stop.exitCode : 0;
}

function textOf(error: unknown): string {
  if (error instanceof KubewrightError && error.remedy !== undefined)
    return `${error.what}\n  why: ${error.why ?? error.message}\n  fix: ${error.remedy}`;
  return error instanceof Error ? error.message.trimEnd() : String(error);
}
