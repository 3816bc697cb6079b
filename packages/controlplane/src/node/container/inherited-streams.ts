import { readdirSync, readFileSync } from 'node:fs';

/** Linux's `O_CLOEXEC`: the stream is closed when a program starts. */
const closeOnExec = 0o2000000;

/**
 * Returns the file descriptors that this process has inherited. Node closes all others when it starts a program, so one look is enough.
 *
 * @param folder - folder with information about this process's descriptors.
 */
export function inheritedStreams(folder = '/proc/self/fdinfo'): readonly number[] {
  return readdirSync(folder)
    .filter((name) => isInherited(`${folder}/${name}`))
    .map(Number);
}

/**
 * Adds `/dev/null` to the streams of a container's program for each file descriptor that this process has inherited.
 * Otherwise the program would also inherit these descriptors, and could escape from the container through a descriptor
 * of a folder of this machine.
 *
 * @param options - `empty`: an open descriptor of `/dev/null`; `inherited`: the result of {@link inheritedStreams}.
 */
export function withoutInherited(
  stdio: readonly ('pipe' | 'ignore')[],
  { empty, inherited }: { readonly empty: number; readonly inherited: readonly number[] },
): readonly ('pipe' | 'ignore' | number)[] {
  const count = Math.max(stdio.length, ...inherited.map((number) => number + 1));
  return Array.from({ length: count }, (_, number) => stdio[number] ?? (inherited.includes(number) ? empty : 'ignore'));
}

function isInherited(file: string): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(file, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor was closed in the meantime, for example after the folder was read.
    return false;
  }
}
