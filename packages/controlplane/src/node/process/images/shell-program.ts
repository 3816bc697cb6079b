import { existsSync } from 'node:fs';
import type { ImageProgram, ImageSource, Launch, LaunchContext } from '../image-program.ts';

/**
 * An image whose commands are the machine's own (`busybox`, `alpine`): what the pod names is run as it stands, and the image's
 * default command otherwise.
 */
export function shellImage(repository: string, defaultCommand: readonly string[]): ImageSource {
  return {
    repository,
    async find(): Promise<ImageProgram> {
      return {
        description: "this machine's own commands",
        standIn: `${repository}: commands are this machine's own, not the image's`,
        programFolders: [],
        launch: (context) => commandOf(context, defaultCommand),
      };
    },
  };
}

/** The shell that images of distributions start: bash where the machine has it at one of the usual places, else `sh`. */
export function usualShell(exists: (path: string) => boolean = existsSync): string {
  return ['/bin/bash', '/usr/bin/bash'].some(exists) ? 'bash' : 'sh';
}

/** An image that is the path of a program of this machine: its entry point is that program. */
export function hostProgram(path: string): ImageProgram {
  return {
    description: `this machine's own ${path}`,
    standIn: `${path}: this machine's own program runs here, not an image`,
    programFolders: [path],
    launch(context) {
      if (context.command) return commandOf(context, []);
      return { file: context.reachable(path), args: context.args ?? [], env: {}, path: [] };
    },
  };
}

/** The usual rule of images without an entry point: command and args as in the pod, else the image's default. */
export function commandOf(context: LaunchContext, defaultCommand: readonly string[]): Launch {
  const words = context.command ? [...context.command, ...(context.args ?? [])] : (context.args ?? defaultCommand);
  const [file = '/bin/sh', ...args] = words;
  return { file, args, env: {}, path: [] };
}
