import { dirname } from 'node:path';
import type { ImageProgram, ImageSource } from '../image-program.ts';
import { commandOf } from './shell-program.ts';

/** Returns the image `node`. Every tag maps to the Node.js that runs this process. */
export function nodeImage(options: { readonly execPath: string; readonly version: string }): ImageSource {
  const folder = dirname(options.execPath);
  return {
    repository: 'node',
    async find(tag: string): Promise<ImageProgram> {
      const requested = /^\d+/.exec(tag)?.[0];
      const differs = requested !== undefined && !options.version.startsWith(`v${requested}.`);
      return {
        description: `Node ${options.version} from ${folder}`,
        ...(differs && { standIn: `node: running Node ${options.version} instead of ${tag}` }),
        programFolders: [options.execPath],
        launch(context) {
          const program = context.reachable(options.execPath);
          const path = [dirname(program)];
          const { file, args } = commandOf(context, ['node']);
          // The image's entry point treats an argument that is not a command as a script.
          const bare = context.command === undefined && (file.startsWith('-') || /\.[cm]?js$/.test(file));
          return bare
            ? { file: program, args: [file, ...args], env: {}, path }
            : { file: file === 'node' ? program : file, args, env: {}, path };
        },
      };
    },
  };
}
