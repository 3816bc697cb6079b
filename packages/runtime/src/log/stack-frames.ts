/** Frames of one error that people are shown at most. */
const mostFrames = 10;

/** A frame of node_modules: somebody's code, but not what the reader has written. */
const dependency = /[\\/]node_modules[\\/]/;
const ours = /[\\/]node_modules[\\/]@kubewright[\\/]/;

/** Folders of this project's packages. */
const names = 'apimachinery|schema|client|runtime|controlplane|codegen|cli';

/**
 * The frames of a stack that tell people something: those of their own code, then those of their dependencies. Node's frames
 * and the runtime's are shown only when there are no others.
 *
 * @param isInternal - says which frames are the runtime's, for tests.
 */
export function framesForPeople(
  stack: string,
  isInternal: (frame: string) => boolean = isOfRuntime,
): readonly string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line));
  const others = frames.filter((frame) => !isOfNode(frame) && !isInternal(frame));
  const first = others.filter((frame) => !dependency.test(frame));
  const chosen = others.length > 0 ? [...first, ...others.filter((frame) => dependency.test(frame))] : frames;
  return chosen.slice(0, mostFrames).map((frame) => `    ${frame.trim()}`);
}

/** The name that a stack begins with, such as `TypeError`; nothing where it says no more than that it is an error. */
export function errorNameOf(stack: string): string | undefined {
  const name = /^(\w+)(?: \[\w+\])?(?::|\n|$)/.exec(stack)?.[1];
  return name === undefined || name === 'Error' ? undefined : name;
}

function isOfNode(frame: string): boolean {
  return /[( ]node:/.test(frame);
}

/**
 * Says which frames are of this project's packages, wherever they are: in node_modules, or where a `file:` dependency or a
 * workspace links to. There Node names the real place, which a module knows of itself; its siblings lie beside it.
 *
 * @param moduleUrl - where a module of the runtime really is; that of a bundle lies elsewhere and tells nothing.
 */
export function framesOfPackages(moduleUrl: string): (frame: string) => boolean {
  const beside = /^(?:file:\/\/)?(.*[\\/])runtime[\\/](?:src|dist)[\\/]/.exec(moduleUrl)?.[1];
  if (beside === undefined) return (frame) => ours.test(frame);
  const place = beside.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const sibling = new RegExp(`${place}(?:${names})[\\\\/](?:src|dist)[\\\\/]`);
  return (frame) => ours.test(frame) || sibling.test(frame);
}

const isOfRuntime = framesOfPackages(import.meta.url);
