import { readFileSync } from 'node:fs';

/** Returns the resident memory of processes, in bytes. Linux only. */
export function residentBytes(children) {
  const kilobytes = children.map(({ pid }) => {
    const [, found = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(found);
  });
  return sumOf(kilobytes) * 1024;
}

/**
 * Returns the processor time that processes have used so far, in milliseconds. The kernel counts in ticks of 10 ms.
 * Linux only.
 */
export function processorMs(children) {
  const ticks = children.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return sumOf(ticks) * 10;
}

function sumOf(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0);
}
