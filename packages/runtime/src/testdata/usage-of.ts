import { vi } from 'vitest';

/** Runs a program as `node program --help`, in this process; returns its exports and its output. */
export async function usageOf<M>(program: () => Promise<M>): Promise<{ readonly module: M; readonly usage: string }> {
  const before = { args: process.argv, code: process.exitCode };
  let usage = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    usage += String(text);
    return true;
  });
  process.argv = ['node', 'program', '--help'];
  try {
    return { module: await program(), usage };
  } finally {
    process.argv = before.args;
    process.exitCode = before.code;
    write.mockRestore();
  }
}
