import { systemClock } from '@kubewright/apimachinery';
import { readFlags, type StartFlags, usage } from './flags.ts';
import { HeldOutput } from './held-output.ts';
import { runCluster } from './run-cluster.ts';
import { StepPrinter } from './step-printer.ts';
import { stopOnSignals } from './stop-on-signals.ts';

/**
 * The development command behind `npm start`: cluster, kind, operator, sample; answers the exit code.
 *
 * 0: stopped as asked, or `--once` has seen the sample up. 1: something failed; three lines say what. 2: a flag is wrong.
 * 128 and the signal's number: `--once` was interrupted.
 */
export async function start(argv: readonly string[]): Promise<number> {
  const flags = parse(argv);
  if (typeof flags === 'number') return flags;
  const { stdout } = process;
  const colors = stdout.isTTY === true && !process.env['NO_COLOR'];
  const steps = new StepPrinter({ clock: systemClock, output: stdout, sinceMs: process.uptime() * 1000, colors });
  const held = new HeldOutput(stdout);
  using stop = stopOnSignals(process, stdout);
  try {
    await runCluster(flags, { steps, held, colors, signal: stop.signal });
    return flags.once ? stop.exitCode : 0;
  } catch (error) {
    if (stop.signal.aborted) return flags.once ? stop.exitCode : 0;
    process.stderr.write(`${error instanceof Error ? error.message.trimEnd() : String(error)}\n`);
    return 1;
  }
}

function parse(argv: readonly string[]): StartFlags | number {
  try {
    const flags = readFlags(argv);
    if (!flags.help) return flags;
    process.stdout.write(`${usage}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    return 2;
  }
}
