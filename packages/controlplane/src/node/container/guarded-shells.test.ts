import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { guardedShells } from './guarded-shells.ts';

// Only root can start programs as another user.
it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'closes a process of a shell to other processes of its user',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kw-shells-'));
    chmodSync(folder, 0o711);
    const shells = guardedShells(join(folder, 'shells'), { sh: '/bin/sh' });
    const user = { uid: 54_321, gid: 54_321 };
    try {
      for (const [shell, isOpen] of [
        ['/bin/sh', true],
        [shells.sh, false],
        ...(shells.bash === undefined ? [] : [[shells.bash, false] as const]),
      ] as const) {
        const running = spawn(shell, ['-c', 'echo up; read -r _'], { ...user, cwd: '/', stdio: 'pipe' });
        await once(running.stdout, 'data');
        const { status } = spawnSync('ls', [`/proc/${running.pid}/root/`], { ...user, cwd: '/' });
        expect(status === 0).toBe(isOpen);
        running.stdin.end();
        await once(running, 'exit');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
