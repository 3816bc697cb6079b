import { systemClock } from '@kubewright/apimachinery';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { jsonLogger } from '@kubewright/runtime';
import { isWalProgram, runWalProgram } from '../archive/wal-program.ts';
import { runDrillProgram } from '../backup/drill-program.ts';
import { isUpgradeCommand, runUpgradeProgram } from '../upgrade/upgrade-program.ts';
import { EnvironmentError, readEnvironment } from './environment.ts';
import { InstanceManager } from './instance-manager.ts';
import { runWatchdog } from './lease/watchdog-program.ts';

/** Timeouts that close an unresponsive connection to the API server. */
const tuning = { connectTimeoutMs: 2_000, keepAliveIntervalMs: 2_000, keepAliveTimeoutMs: 2_000 };

/** Command that runs this program, for PostgreSQL's settings. */
const command = [process.execPath, process.argv[1] ?? ''];
const programs = { env: process.env };

/**
 * Archives or restores a WAL file, runs a drill, a step of a major upgrade or the watchdog, or runs the instance manager, depending
 * on the arguments.
 */
function run(args: readonly string[]): Promise<number> {
  if (isWalProgram(args)) {
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    return runWalProgram({ args, log, folder: process.cwd(), now: () => new Date(systemClock.now()) });
  }
  if (args[0] === 'drill') {
    const signal = new AbortController().signal;
    return runDrillProgram({ env: process.env, walCommand: command, programs, clock: systemClock, signal });
  }
  if (args[0] === 'watchdog') {
    // Ends with its input. Ctrl-C signals this process, too, while the instance manager still needs it.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    return runWatchdog({ dataDirectory: args[1] ?? '', input: process.stdin, clock: systemClock, log });
  }
  const [step] = args;
  if (isUpgradeCommand(step)) {
    const log = (message: string): void => void process.stderr.write(`${message}\n`);
    return runUpgradeProgram(step, { env: process.env, programs, clock: systemClock, log, signal: stopSignal() });
  }
  return main();
}

/** Returns an AbortSignal that is aborted by SIGTERM or SIGINT. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

/** Runs an instance manager until SIGTERM or SIGINT. Returns the exit code. */
async function main(): Promise<number> {
  const log = jsonLogger();
  const stop = stopSignal();
  try {
    const environment = readEnvironment(process.env);
    await using client = clientFromConfig(await loadClientConfig(), { clock: systemClock, tuning });
    await new InstanceManager({ environment, client, clock: systemClock, log, programs, command }).run(stop);
    return 0;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    log.error(error.message);
    return 2;
  }
}

process.exitCode = await run(process.argv.slice(2));
