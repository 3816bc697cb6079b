/** Maximum number of frames shown per error. */
const maxFrames = 10;

/** Matches a frame of dependency code, in node_modules. */
const dependency = /[\\/]node_modules[\\/]/;
const ours = /[\\/]node_modules[\\/]@kubewright[\\/]/;

/** Folders of this project's packages. */
const names = 'apimachinery|apiserver|schema|client|runtime|controlplane|codegen|cli';

/**
 * Returns the frames of a stack that help a user: frames of user code, then frames of dependencies. Includes frames of
 * Node and the runtime only if there are no other frames.
 * @param isInternal - identifies frames of the runtime; replaced in tests.
 */
export function framesForPeople(
  stack: string,
  isInternal: (frame: string) => boolean = isOfRuntime,
): readonly string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line));
  const others = frames.filter((frame) => !isOfNode(frame) && !isInternal(frame));
  const first = others.filter((frame) => !dependency.test(frame));
  const chosen = others.length > 0 ? [...first, ...others.filter((frame) => dependency.test(frame))] : frames;
  return chosen.slice(0, maxFrames).map((frame) => `    ${frame.trim()}`);
}

/** Returns the error name that a stack begins with, such as `TypeError`; undefined if it is just `Error`. */
export function errorNameOf(stack: string): string | undefined {
  const name = /^(\w+)(?: \[\w+\])?(?::|\n|$)/.exec(stack)?.[1];
  return name === undefined || name === 'Error' ? undefined : name;
}

function isOfNode(frame: string): boolean {
  return /[( ]node:/.test(frame);
}

/**
 * Returns a function that recognizes frames of this project's packages, wherever they are: in node_modules, or at the
 * target of a `file:` dependency or a workspace link. For links, Node reports the real path. A module knows its own
 * real path, and the other packages are its siblings.
 * @param moduleUrl - real location of a module of the runtime; the location of a bundle does not match and is ignored.
 */
export function framesOfPackages(moduleUrl: string): (frame: string) => boolean {
  const beside = /^(?:file:\/\/)?(.*[\\/])runtime[\\/](?:src|dist)[\\/]/.exec(moduleUrl)?.[1];
  if (beside === undefined) return (frame) => ours.test(frame);
  const place = beside.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const sibling = new RegExp(`${place}(?:${names})[\\\\/](?:src|dist)[\\\\/]`);
  return (frame) => ours.test(frame) || sibling.test(frame);
}

const isOfRuntime = framesOfPackages(import.meta.url);
