import { describe, expect, it } from 'vitest';
import { settingsRejectionReason } from './fixed-settings.ts';
import { quoted, type SettingsInput, settingsFile, slotOf, synchronousStandbyNames } from './settings-file.ts';
import { invalidSettings } from './settings-keeper.ts';

const input: SettingsInput = {
  parameters: {},
  name: 'shop-2',
  address: '127.9.0.2',
  socketDirectory: '/run/postgresql',
  certificates: '/data/certificates',
  synchronous: { number: 0, names: [] },
  floors: {},
  volumeBytes: 100 * 2 ** 30,
};
const settings = (changes: Partial<SettingsInput>) =>
  new Map(
    settingsFile({ ...input, ...changes })
      .split('\n')
      .flatMap((line) => {
        const [, name, value] = /^(\w+) = '(.*)'$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, value] as const];
      }),
  );

describe('settingsFile', () => {
  it('sets the parameters that fencing and replication need', () => {
    const upstream = { connection: 'host=127.9.0.1', slot: 'shop_2' };
    const found = settings({ upstream, synchronous: { number: 1, names: ['shop-1', 'shop-3'] } });
    expect(Object.fromEntries(found)).toMatchObject({
      archive_mode: 'always',
      hot_standby: 'on',
      wal_log_hints: 'on',
      primary_conninfo: 'host=127.9.0.1',
      primary_slot_name: 'shop_2',
      synchronous_standby_names: 'ANY 1 ("shop-1", "shop-3")',
    });
  });

  it.each([
    ['1 TiB', 2 ** 40, ['4096MB', '1024MB', '512MB']],
    ['4 GiB', 2 ** 32, ['1024MB', '512MB', '256MB']],
    ['1 GiB', 2 ** 30, ['256MB', '128MB', '64MB']],
    ['100 MiB', 100 * 2 ** 20, ['64MB', '64MB', '64MB']],
  ])('limits the WAL on a volume of %s', (_, volumeBytes, limits) => {
    const found = settings({ volumeBytes });
    expect(['max_slot_wal_keep_size', 'max_wal_size', 'wal_keep_size'].map((name) => found.get(name))).toEqual(limits);
  });

  it('makes a standby pause between reads of the archive, so that the end of its WAL can be detected', () => {
    expect(settings({}).get('wal_retrieve_retry_interval')).toBe('500ms');
    expect(settings({ restoreCommand: 'restore %f %p' }).get('wal_retrieve_retry_interval')).toBe('5s');
  });

  it.each([
    ['overrides a default', { wal_keep_size: '1GB' }, {}, 'wal_keep_size', '1GB'],
    ['ignores the case of a name', { Work_Mem: '4MB' }, {}, 'work_mem', '4MB'],
    ['ignores a number of slots below the minimum', { max_replication_slots: '4' }, {}, 'max_replication_slots', '32'],
    ['accepts a higher number of slots', { Max_Replication_Slots: '40' }, {}, 'max_replication_slots', '40'],
    ['does not change password_encryption', { password_encryption: 'md5' }, {}, 'password_encryption', 'scram-sha-256'],
    [
      'does not change settings that the operator manages',
      { WAL_LEVEL: 'minimal', wal_level: 'minimal' },
      {},
      'wal_level',
      'logical',
    ],
    [
      "raises a value that is lower than the primary's",
      { max_connections: '50' },
      { max_connections: 100 },
      'max_connections',
      '100',
    ],
    [
      "sets the primary's value if it is higher than the default",
      {},
      { max_connections: 200 },
      'max_connections',
      '200',
    ],
    [
      "keeps a value that is higher than the primary's",
      { max_connections: '150' },
      { max_connections: 100 },
      'max_connections',
      '150',
    ],
  ])('%s', (_, parameters, floors, name, value) => {
    expect(settings({ parameters, floors }).get(name)).toBe(value);
  });

  it.each(['synchronous_standby_names ', "work_mem = '4MB'\narchive_command", 'include\t'])(
    'does not write %j',
    (name) => {
      expect(settingsFile({ ...input, parameters: { [name]: '' } })).toBe(settingsFile(input));
    },
  );

  it('quotes values', () => {
    expect(quoted(`it's a \\ and\na line`)).toBe(`'it''s a \\\\ and\\na line'`);
  });
});

describe('settingsRejectionReason', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    [
      'accepts settings of PostgreSQL and of extensions',
      { work_mem: '4MB', 'Auto_Explain.log_analyze': 'on' },
      undefined,
    ],
    [
      'rejects settings that the operator manages, whatever their case',
      { Port: '1', archive_mode: 'off' },
      'the operator sets Port, archive_mode itself',
    ],
    ['rejects password_encryption', { password_encryption: 'md5' }, 'the operator sets password_encryption itself'],
    ['rejects a name with a space', { 'port ': '1' }, 'not a setting name: "port "'],
    ['rejects a name with a line break', { "a = '1'\nport": '1' }, `not a setting name: "a = '1'\\nport"`],
    ['rejects an empty name', { '': '1' }, 'not a setting name: ""'],
    ['rejects two spellings of one name', { Work_mem: '1MB', work_mem: '4MB' }, 'work_mem is set more than once'],
    [
      'accepts numbers of senders and slots above or at the minimum',
      { max_wal_senders: '64', MAX_REPLICATION_SLOTS: '32' },
      undefined,
    ],
    ['rejects a number of senders below the minimum', { Max_wal_senders: '31' }, 'Max_wal_senders must be at least 32'],
    [
      'rejects a number of slots that is not written in decimal digits',
      { max_replication_slots: '1e3' },
      'max_replication_slots must be at least 32',
    ],
  ])('%s', (_, parameters, why) => {
    expect(settingsRejectionReason(parameters)).toBe(why);
  });
});

describe('synchronousStandbyNames', () => {
  it.each([
    [{ number: 0, names: ['shop-1'] }, ''],
    [{ number: 1, names: ['shop-1', 'shop-3'] }, 'ANY 1 ("shop-1", "shop-3")'],
    // Commits wait until a replica is known.
    [{ number: 1, names: [] }, 'ANY 1 ("no-replica")'],
  ])('formats %j as %j', (standbys, text) => {
    expect(synchronousStandbyNames(standbys)).toBe(text);
  });
});

describe('slotOf', () => {
  it('replaces characters that slot names must not contain', () => {
    expect(slotOf('my-shop.eu-2')).toBe('kubewright_my_shop_eu_2');
  });
});

describe('invalidSettings', () => {
  it("returns the server's message without file names and line numbers", () => {
    const output = [
      '2026-11-23 02:48:19.830 GMT [27120] LOG:  unrecognized configuration parameter "foo" in file "/tmp/c.conf" line 2',
      '2026-11-23 02:48:19.830 GMT [27120] FATAL:  configuration file "/tmp/c.conf" contains errors',
    ];
    expect(invalidSettings(output.join('\n'))).toBe('unrecognized configuration parameter "foo"');
  });
});
