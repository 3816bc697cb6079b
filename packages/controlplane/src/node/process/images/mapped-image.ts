import { existsSync } from 'node:fs';
import { defined } from '@kubewright/apimachinery/internal';
import type { ImageProgram, ImageSource, Launch, LaunchContext } from '../image-program.ts';

/** A user's description of an image. */
export interface MappedImage {
  /** Name of the file that contains the description. */
  readonly file: string;
  /** The image whose program and entry point are used. */
  readonly like?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stopSignal?: NodeJS.Signals;
  /** Folder with everything that the program needs. */
  readonly folder?: string;
}

/** Returns the image for a user's description. */
export function mappedImage(
  repository: string,
  image: MappedImage & {
    /** Resolves a path that begins with `./`. */
    readonly place: (word: string) => string;
    /** Finds the program of the image that this one is based on. */
    readonly base: () => Promise<ImageProgram>;
  },
): ImageSource {
  const placed = (word: string): string => (word.startsWith('./') ? image.place(word) : word);
  const command = image.command?.map(placed);
  const args = image.args?.map(placed);
  const own = [image.folder ?? '', ...(image.command ?? []), ...(image.args ?? [])];
  const paths = own.filter((word) => word.startsWith('./')).map(image.place);
  const said = [...(command ?? []), ...(args ?? [])].join(' ');
  const what = said === '' ? (image.like ?? "the host's commands") : said;
  const folder = image.folder === undefined ? undefined : image.place(image.folder);
  return {
    repository,
    async find(): Promise<ImageProgram> {
      const base = await image.base();
      const missing = paths.find((path) => !existsSync(path));
      if (missing !== undefined) throw new Error(`${missing}, required by ${image.file}, does not exist`);
      const standIn = `${repository}: running ${what}, as configured in ${image.file}`;
      return {
        ...base,
        description: `${what} (${image.file}), ${base.description}`,
        standIn,
        ...(command && { command: [...command, ...(args ?? [])] }),
        ...defined({ stopSignal: image.stopSignal }),
        programFolders: [...base.programFolders, ...paths],
        launch: (context) => ({
          ...launch(context, { base, command, args, env: image.env ?? {}, folder }),
          ...(command &&
            context.command && { note: `${repository}: ${replaced(context.command, { file: image.file, what })}` }),
        }),
      };
    },
  };
}

/** Returns a note that a pod's command replaces the image's command, as with real images. */
function replaced(
  command: readonly string[],
  { file, what }: { readonly file: string; readonly what: string },
): string {
  return `running the pod's command (${command.join(' ')}) instead of ${what} from ${file}`;
}

function launch(
  context: LaunchContext,
  parts: {
    readonly base: ImageProgram;
    readonly command: readonly string[] | undefined;
    readonly args: readonly string[] | undefined;
    readonly env: Readonly<Record<string, string>>;
    readonly folder: string | undefined;
  },
): Launch {
  const { base } = parts;
  const command = parts.command?.map(context.reachable);
  const args = parts.args?.map(context.reachable);
  // The pod's variables take precedence over the image's.
  const brought = Object.entries(parts.env).filter(([name]) => !context.env.has(name));
  const env = new Map([...brought, ...context.env]);
  const given = context.command ?? command;
  // A pod that sets a command gets none of the image's arguments, as with real images.
  const rest = context.command ? context.args : (context.args ?? args);
  const launched = base.launch({ ...context, env, command: given, args: rest });
  const path = parts.folder === undefined ? launched.path : [context.reachable(parts.folder), ...launched.path];
  return { ...launched, path, env: { ...Object.fromEntries(brought), ...launched.env } };
}
