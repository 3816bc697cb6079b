import { describe, expect, it } from 'vitest';
import { nobody } from './container-user.ts';
import { KnownUser } from './known-user.ts';

const unknownUser = { uid: 1_879_048_200, gid: 1_879_048_200 };
const notRoot = 'needs root: only root can switch users';

describe('KnownUser', () => {
  it('returns an empty prefix for a known user', async (context) => {
    if (process.getuid?.() !== 0) return context.skip(notRoot);
    expect(await new KnownUser(nobody()).words('initdb', nobody())).toEqual([]);
    return undefined;
  });

  it('maps an unknown user to a known one if the machine allows it', async (context) => {
    if (process.getuid?.() !== 0) return context.skip(notRoot);
    const known = new KnownUser(nobody());
    if (!(await known.canImpersonate(unknownUser))) return context.skip('this machine allows no user namespaces');
    const { uid, gid } = nobody() ?? {};
    expect((await known.words('initdb', unknownUser)).slice(1)).toEqual([
      '--user',
      `--map-user=${uid}`,
      `--map-group=${gid}`,
      '--',
    ]);
    return undefined;
  });

  it('reports a remedy if the user cannot be mapped', async (context) => {
    if (process.getuid?.() !== 0) return context.skip(notRoot);
    const known = new KnownUser(nobody(), () => false);
    expect(await known.canImpersonate(unknownUser)).toBe(false);
    await expect(known.words('initdb', unknownUser)).rejects.toMatchObject({
      code: 'KW5202',
      message: expect.stringContaining(
        "uid 1879048200 is not in this system's user database, so initdb refuses to run; set securityContext.runAsUser",
      ),
    });
    return undefined;
  });
});
