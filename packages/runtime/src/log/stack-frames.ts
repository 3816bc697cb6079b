/** Frames of one error that people are shown at most. */
const mostFrames = 10;

/** A frame of node_modules: somebody's code, but not what the reader has written. */
const dependency = /[\\/]node_modules[\\/]/;
const ours = /[\\/]node_modules[\\/]@kubewright[\\/]/;

/** The folder of this project's packages, where they run from a checkout; a bundle has no such folder. */
const packages = /^file:\/\/(.*[\\/])runtime[\\/](?:src|dist)[\\/]log[\\/]/.exec(import.meta.url)?.[1];

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

function isOfRuntime(frame: string): boolean {
  return ours.test(frame) || (packages !== undefined && frame.includes(packages));
}
