import { existsSync } from 'node:fs';
import type { ImageProgram, ImageSource, Launch, LaunchContext } from '../image-program.ts';

/**
 * Returns an image that runs the machine's own commands (`busybox`, `alpine`): the pod's command, or else the image's default.
 */
export function shellImage(repository: string, defaultCommand: readonly string[]): ImageSource {
  return {
    repository,
    async find(): Promise<ImageProgram> {
      return {
        description: "the host's commands",
        standIn: `${repository}: running the host's commands, not the image's`,
        programFolders: [],
        launch: (context) => commandOf(context, defaultCommand),
      };
    },
  };
}

/** Returns the shell that distribution images start: bash if the machine has it in a usual folder, otherwise `sh`. */
export function usualShell(exists: (path: string) => boolean = existsSync): string {
  return ['/bin/bash', '/usr/bin/bash'].some(exists) ? 'bash' : 'sh';
}

/** Returns the program for an image that is a path on this machine: the file at the path is the entry point. */
export function hostProgram(path: string): ImageProgram {
  return {
    description: `the host program ${path}`,
    standIn: `${path}: running a host program, not an image`,
    programFolders: [path],
    launch(context) {
      if (context.command) return commandOf(context, []);
      return { file: context.reachable(path), args: context.args ?? [], env: {}, path: [] };
    },
  };
}

/** Returns the command of an image without an entry point: the pod's command and args, or else the image's default. */
export function commandOf(context: LaunchContext, defaultCommand: readonly string[]): Launch {
  const words = context.command ? [...context.command, ...(context.args ?? [])] : (context.args ?? defaultCommand);
  const [file = '/bin/sh', ...args] = words;
  return { file, args, env: {}, path: [] };
}
