import type { ImageConfig } from '../../images/image-manifest.ts';
import type { ContainerRequest } from '../driver.ts';
import { CommandError } from '../process/find-command.ts';

/** Describes how the main process of a container starts. */
export interface ProcessConfig {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Combines an image's configuration with the pod's, as a container runtime does. The pod's command replaces the image's
 * entry point and arguments, and the pod's variables override the image's variables.
 *
 * @throws CommandError if neither has a command
 */
export function processConfig(
  { config = {} }: ImageConfig,
  request: Pick<ContainerRequest, 'command' | 'args' | 'env' | 'workingDir' | 'podName' | 'tty'> & {
    /** Home folder of the container's user. */
    readonly home: string;
  },
): ProcessConfig {
  const { command, args, env, workingDir, podName, tty, home } = request;
  const words = command?.length
    ? [...command, ...(args ?? [])]
    : [...(config.Entrypoint ?? []), ...(args?.length ? args : (config.Cmd ?? []))];
  if (words.length === 0) throw new CommandError('no command specified', 127);
  const ofImage = (config.Env ?? []).map((line) => {
    const [name = '', ...value] = line.split('=');
    return [name, value.join('=')];
  });
  return {
    command: words,
    env: {
      PATH: defaultPath,
      HOSTNAME: podName,
      HOME: home,
      ...(tty && { TERM: 'xterm' }),
      ...Object.fromEntries(ofImage),
      ...Object.fromEntries(env),
    },
    workingDir: workingDir || config.WorkingDir || '/',
  };
}
