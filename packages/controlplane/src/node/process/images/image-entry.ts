import { basename, dirname, isAbsolute, resolve, sep } from 'node:path';
import { imageNameOf } from '../image-name.ts';
import type { ImageProgram, ImageSource } from '../image-program.ts';
import { ImageFileError } from './image-file-error.ts';
import { type MappedImage, mappedImage } from './mapped-image.ts';
import { shellImage } from './shell-program.ts';

const knownFields = ['like', 'command', 'args', 'env', 'stopSignal', 'folder'];
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGKILL'];

/** Location of an entry in an image file, and the images and programs that the entry may refer to. */
interface EntryContext {
  /** Path of the file. */
  readonly file: string;
  /** The entry's key. */
  readonly image: string;
  readonly repository: string;
  readonly builtIn: ReadonlyMap<string, ImageSource>;
  readonly allowHostPrograms: boolean;
}

/**
 * Parses one entry of an image file.
 *
 * @throws ImageFileError if the entry is invalid.
 */
export function imageEntry(entry: unknown, context: EntryContext): ImageSource {
  const { file, image, repository } = context;
  const fail = (reason: string): never => {
    throw new ImageFileError(file, reason);
  };
  if (!isObject(entry)) return fail(`"${image}" must be an object, such as {"command": ["./server"]}`);
  const wrong = Object.keys(entry).find((key) => !knownFields.includes(key));
  if (wrong !== undefined)
    return fail(`"${image}" has the unknown field "${wrong}"; valid fields are ${knownFields.join(', ')}`);
  const optional = <K extends keyof MappedImage>(key: K, is: (value: unknown) => boolean) => {
    const value = entry[key];
    if (value === undefined) return undefined;
    if (!is(value)) return fail(`"${image}" has an invalid "${key}": ${JSON.stringify(value)?.slice(0, 100)}`);
    // Validated above.
    return { [key]: value } as Pick<MappedImage, K>;
  };
  const described: MappedImage = {
    file: basename(file),
    ...optional('like', (value) => typeof value === 'string' && value !== ''),
    ...optional('command', isWords),
    ...optional('args', isList),
    ...optional('env', isVariables),
    ...optional('stopSignal', (value) => stopSignals.includes(String(value))),
    ...optional('folder', (value) => typeof value === 'string'),
  };
  const [program = ''] = described.command ?? [];
  if (isAbsolute(program) && !context.allowHostPrograms) {
    return fail(
      `"${image}" runs the host program ${program}, which requires --allow-host-programs; use a program in PATH, or one next to this file (./${basename(program)})`,
    );
  }
  const folder = dirname(file);
  /** Resolves a path that begins with `./`. */
  const place = (word: string): string => {
    const found = resolve(folder, word);
    if (found !== folder && !found.startsWith(folder + sep)) return fail(`"${image}": ${word} is outside ${folder}`);
    return found;
  };
  return mappedImage(repository, { ...described, base: baseOf(described.like, { ...context, fail }), place });
}

/** Returns the program that an image is based on; without `like`, the machine's commands. */
function baseOf(
  like: string | undefined,
  { image, builtIn, fail }: EntryContext & { readonly fail: (reason: string) => never },
): () => Promise<ImageProgram> {
  if (like === undefined) return () => shellImage(image, ['sh']).find('latest');
  let source: ImageSource | undefined;
  let tag = 'latest';
  try {
    const name = imageNameOf(like);
    ({ tag } = name);
    source = builtIn.get(name.repository);
  } catch {
    // `like` is not an image name, so it cannot be a built-in image.
  }
  if (!source) {
    return fail(
      `"${image}" has an invalid "like": ${like}; available images are ${[...builtIn.keys()].sort().join(', ')}`,
    );
  }
  const found = source;
  return () => found.find(tag);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0'));
}

function isWords(value: unknown): boolean {
  return isList(value) && Array.isArray(value) && value.length > 0 && value[0] !== '';
}

function isVariables(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([name, text]) => /^[^=\0]+$/.test(name) && isList([text]));
}
