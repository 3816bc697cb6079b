import { describe, expect, it } from 'vitest';
import type { LaunchContext } from '../image-program.ts';
import { type InstalledPython, pythonImage } from './python.ts';

const context = (more: Partial<LaunchContext> = {}): LaunchContext => ({
  podIP: '127.1.2.3',
  root: '/sandbox/c',
  socketFolder: '/sandbox/c.s',
  command: undefined,
  args: undefined,
  env: new Map(),
  reachable: (path) => path,
  hostPath: (path) => path,
  programPath: (path) => path,
  ...more,
});

describe('pythonImage', () => {
  const ofRoot: InstalledPython = { path: '/root/py/bin/python3.14', prefix: '/root/py', version: '3.14.0' };
  const ofAll: InstalledPython = { path: '/usr/bin/python3', prefix: '/usr', version: '3.11.2' };
  const installed: Readonly<Record<string, InstalledPython>> = {
    '/root/shims/python3': ofRoot,
    '/usr/bin/python3': ofAll,
  };
  const imageOf = (found: Readonly<Record<string, InstalledPython>>) =>
    pythonImage({
      env: { PATH: '/root/shims:/broken' },
      platform: 'linux',
      isForAll: (path) => !path.startsWith('/root/'),
      exists: (path) => path === '/broken/python3' || path in found,
      locate: async (path) => found[path] ?? Promise.reject(new Error('does not run')),
    });

  it('runs the Python that every user can run, under any name that the pod uses', async () => {
    const program = await imageOf(installed).find('3.11-slim');
    expect(program).toMatchObject({ description: 'Python 3.11.2 at /usr/bin/python3', programFolders: [ofAll.path] });
    expect(program.launch(context())).toMatchObject({ file: '/usr/bin/python3', args: [], path: ['/usr/bin'] });
    expect(program.launch(context({ command: ['python', 'app.py'] }))).toMatchObject({
      file: '/usr/bin/python3',
      args: ['app.py'],
    });
    expect(program.launch(context({ args: ['sh', '-c', 'x'] })).file).toBe('sh');
  });

  it('copies a whole installation if no Python can be run by every user', async () => {
    const program = await imageOf({ '/root/shims/python3': ofRoot }).find('3.12');
    expect(program).toMatchObject({
      programFolders: ['/root/py'],
      standIn: "python: running Python 3.14.0 instead of 3.12, with the host's packages",
    });
  });

  it('reports what is missing', async () => {
    await expect(imageOf({}).find('latest')).rejects.toThrow('Python not found');
  });
});
