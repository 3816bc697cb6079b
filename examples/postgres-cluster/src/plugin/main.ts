import { spawn } from 'node:child_process';
import { systemClock } from '@kubewright/apimachinery';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { type CommandLine, type Session, textFlag } from './command.ts';
import { commandHelp, parseCommandLine, programHelp } from './command-line.ts';
import { commands } from './commands/index.ts';
import { PluginError } from './plugin-error.ts';

process.exitCode = await main(process.argv.slice(2));

/** Runs `kubectl kubewright pg`, and returns the exit code. */
async function main([name = '--help', ...words]: readonly string[]): Promise<number> {
  const print = (text: string): void => void process.stdout.write(text);
  try {
    if (name === '--help' || name === '-h') {
      print(programHelp(commands));
      return 0;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw new PluginError(`unknown command ${name}\n\n${programHelp(commands)}`, { exitCode: 2 });
    const line = parseCommandLine(name, command, words);
    if (line.flags['help'] === true) {
      print(commandHelp(name, command));
      return 0;
    }
    return (await command.run(line, await sessionOf(line, print))) ?? 0;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof PluginError ? error.exitCode : 1;
  }
}

async function sessionOf({ flags }: CommandLine, print: Session['print']): Promise<Session> {
  const [kubeconfig, context] = [textFlag(flags, 'kubeconfig'), textFlag(flags, 'context')];
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stop.abort(new PluginError('interrupted')));
  }
  const config = await loadClientConfig({ kubeconfig, context, namespace: textFlag(flags, 'namespace') });
  const same = Object.entries({ kubeconfig, context, namespace: config.namespace });
  return {
    client: clientFromConfig(config, { clock: systemClock }),
    namespace: config.namespace,
    clock: systemClock,
    signal: stop.signal,
    print,
    kubectl: (args) =>
      run('kubectl', [
        ...same.flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`])),
        ...args,
      ]),
  };
}

function run(file: string, args: readonly string[]): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', ({ message }) => reject(new PluginError(`cannot run ${file}: ${message}`)));
    child.once('close', (code) => resolve(code ?? 1));
  });
}
