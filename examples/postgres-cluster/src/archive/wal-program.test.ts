import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFailure } from './archive-failure.ts';
import { copyFile, markAsCopy } from './system-identity.ts';
import { runWalProgram } from './wal-program.ts';

const segment = '000000010000000000000002';

describe('runWalProgram', () => {
  let root: string;
  let log: string[];
  let nowMs = 0;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'wal-'));
    log = [];
    nowMs = 0;
    for (const name of ['archive', 'data', 'other']) mkdirSync(join(root, name));
    writeFileSync(path('archive.json'), JSON.stringify({ folder: 'shop', directory: path('archive') }));
    system('data', 1n);
    system('other', 2n);
    writeFileSync(path('data', segment), 'content');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const path = (...names: string[]) => join(root, ...names);
  /** Gives a data directory a control file with this database system identifier. */
  const system = (folder: string, id: bigint) => {
    mkdirSync(path(folder, 'global'));
    const control = Buffer.alloc(8);
    control.writeBigUInt64LE(id);
    writeFileSync(path(folder, 'global', 'pg_control'), control);
  };
  const run = (folder: string, ...args: string[]) =>
    runWalProgram({ args, log: (line) => log.push(line), folder: path(folder), now: () => new Date(nowMs) });
  const archive = (folder = 'data', name = segment) =>
    run(folder, 'wal-archive', path('archive.json'), name, path('data', segment));
  const restore = (purpose: string, name = segment) =>
    run('data', 'wal-restore', purpose, path('archive.json'), name, path('restored'));
  const stored = () => path('archive', 'shop', 'wal', segment.slice(0, 16), `${segment}.gz`);

  it('archives and restores a file', async () => {
    expect(await archive()).toBe(0);
    expect(await restore('recovery')).toBe(0);
    expect(readFileSync(path('restored'), 'utf8')).toBe('content');
    expect(log).toEqual([]);
  });

  it('archives the history of a timeline', async () => {
    expect(await archive('data', '00000002.history')).toBe(0);
    expect(await restore('standby', '00000002.history')).toBe(0);
  });

  it('succeeds again for the same content, and rejects different content', async () => {
    await archive();
    expect(await archive()).toBe(0);
    writeFileSync(path('data', segment), 'other content');
    expect(await archive()).toBe(1);
    expect(log).toEqual([
      `cannot archive ${segment}: the archive already contains ${segment} with different content; another server may be writing to this archive`,
    ]);
    await restore('recovery');
    expect(readFileSync(path('restored'), 'utf8')).toBe('content');
  });

  it('skips the partial segments of promotions, which differ between the servers that were promoted', async () => {
    const partial = `${segment}.partial`;
    expect(await archive('data', partial)).toBe(0);
    writeFileSync(path('data', segment), 'other content');
    expect(await archive('data', partial)).toBe(0);
    expect(await restore('recovery', partial)).toBe(3);
  });

  it('rejects the archive of another database system', async () => {
    await archive();
    expect(await archive('other', '000000010000000000000003')).toBe(1);
    expect(log[0]).toContain('the archive belongs to database system 1, not to database system 2; use another path');
  });

  it('rejects WAL of a clone of the volumes, whose database is the same one', async () => {
    const cluster = (owner: string) =>
      writeFileSync(path('archive.json'), JSON.stringify({ folder: 'shop', directory: path('archive'), owner }));
    cluster('original');
    expect(await archive()).toBe(0);
    cluster('clone');
    expect(await archive()).toBe(1);
    expect(await archive('data', '00000002.history')).toBe(1);
    expect(log[0]).toMatch(/the archive belongs to another cluster .* delete cluster.json from the archive$/);
    // A standby of the clone must not replay the original's WAL either.
    expect(await restore('standby')).toBe(1);
    expect(existsSync(path('restored'))).toBe(false);
    rmSync(path('archive', 'shop', 'cluster.json'));
    expect(await archive()).toBe(0);
    cluster('original');
    expect(await archive()).toBe(1);
  });

  it('lets a cluster claim an archive that an earlier release has written', async () => {
    expect(await archive()).toBe(0);
    writeFileSync(path('archive.json'), JSON.stringify({ folder: 'shop', directory: path('archive'), owner: 'a' }));
    expect(await archive()).toBe(0);
    expect(readFileSync(path('archive', 'shop', 'cluster.json'), 'utf8')).toBe('{"cluster":"a"}');
  });

  it("keeps a database and its restored copies out of each other's archives", async () => {
    await archive();
    await markAsCopy(path('data'), 'a');
    expect(await archive()).toBe(1);
    expect(log[0]).toContain('the archive belongs to another copy of this database');
    // The copy gets its own archive.
    rmSync(path('archive', 'shop'), { recursive: true });
    expect(await archive()).toBe(0);
    await markAsCopy(path('data'), 'b');
    expect(await archive()).toBe(1);
    rmSync(path('data', copyFile));
    expect(await archive()).toBe(1);
  });

  it('rejects an archive that has files but no owner', async () => {
    mkdirSync(path('archive', 'shop'));
    writeFileSync(path('archive', 'shop', 'file'), '');
    expect(await archive()).toBe(1);
    expect(log[0]).toContain('the archive contains file, but no system.json; use another path');
  });

  it('records why archiving fails, until it succeeds again', async () => {
    renameSync(path('archive'), path('gone'));
    expect(await archive()).toBe(1);
    expect(await readFailure(path('archive.json'))).toEqual({
      file: segment,
      time: '1970-01-01T00:00:00.000Z',
      message: expect.stringMatching(/^cannot archive .*no such file or directory/),
    });
    renameSync(path('gone'), path('archive'));
    expect(await archive()).toBe(0);
    expect(await readFailure(path('archive.json'))).toBeUndefined();
  });

  it('reports a missing file as the end of the WAL, and stops recovery if a file cannot be read', async () => {
    await archive();
    expect(await restore('recovery', '000000010000000000000003')).toBe(3);
    const content = readFileSync(stored());
    for (const damaged of [content.subarray(0, -4), Buffer.from('not compressed')]) {
      writeFileSync(stored(), damaged);
      expect(await restore('recovery')).toBe(126);
      expect(await restore('standby')).toBe(1);
      expect(log.pop()).toContain('is damaged');
      nowMs += 30_000;
    }
    renameSync(path('archive'), path('gone'));
    expect(await restore('recovery')).toBe(126);
    expect(await restore('standby')).toBe(1);
    expect(existsSync(path('restored'))).toBe(false);
  });

  describe('if a segment is missing', () => {
    const missing = '000000010000000100000003';
    it.each([
      [126, 'a later segment', '000000010000000100000004'],
      [126, 'a later segment of a later timeline', '000000020000000200000000'],
      [3, 'an earlier segment of a later timeline', '0000000200000000000000FF'],
      [3, 'the same segment of a later timeline', '000000020000000100000003'],
      [3, 'a later segment of an earlier timeline', '000000000000000100000004'],
      [3, 'the history of a later timeline', '00000002.history'],
    ])('recovery exits with code %i if the archive contains %s', async (code, _, name) => {
      writeFileSync(path('data', name), 'content');
      expect(await run('data', 'wal-archive', path('archive.json'), name, path('data', name))).toBe(0);
      expect(await restore('recovery', missing)).toBe(code);
      if (code === 126) expect(log[0]).toContain(`the archive contains ${name}, but not ${missing}`);
      expect(await restore('standby', missing)).toBe(3);
      // The archive may lack a segment that pg_wal already contains: PostgreSQL asks the archive first, even for
      // segments in the backup.
      writeFileSync(path(missing), '');
      expect(await restore('recovery', missing)).toBe(3);
    });

    it('recovery does not look for later files if a timeline history is missing', async () => {
      await archive();
      expect(await restore('recovery', '00000001.history')).toBe(3);
    });
  });

  it("hides the histories of timelines after the primary's from a standby, but not from a recovery", async () => {
    for (const name of ['00000002.history', '00000003.history']) expect(await archive('data', name)).toBe(0);
    const location = { folder: 'shop', directory: path('archive'), newestTimeline: 2 };
    writeFileSync(path('archive.json'), JSON.stringify(location));
    expect(await restore('standby', '00000002.history')).toBe(0);
    expect(await restore('standby', '00000003.history')).toBe(3);
    expect(await restore('recovery', '00000003.history')).toBe(0);
  });

  it('does not read the archive on a standby for 30 s after a failure', async () => {
    await archive();
    renameSync(path('archive'), path('gone'));
    expect(await restore('standby')).toBe(1);
    renameSync(path('gone'), path('archive'));
    nowMs = 29_999;
    expect(await restore('standby')).toBe(3);
    expect(await restore('recovery')).toBe(0);
    nowMs = 30_000;
    expect(await restore('standby')).toBe(0);
    // The clock was set back.
    renameSync(path('archive'), path('gone'));
    expect(await restore('standby')).toBe(1);
    renameSync(path('gone'), path('archive'));
    nowMs = 10_000;
    expect(await restore('standby')).toBe(0);
  });

  it('reports a missing location file', async () => {
    rmSync(path('archive.json'));
    expect(await archive()).toBe(1);
    expect(log[0]).toContain('cannot read the archive location');
  });
});
