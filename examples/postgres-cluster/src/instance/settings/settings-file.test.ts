import { describe, expect, it } from 'vitest';
import { whyRefused } from './fixed-settings.ts';
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
  it('sets what fencing and replication need', () => {
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

  it('lets a standby pause between two reads of the archive, which shows that it is at the end of its WAL', () => {
    expect(settings({}).get('wal_retrieve_retry_interval')).toBe('500ms');
    expect(settings({ restoreCommand: 'restore %f %p' }).get('wal_retrieve_retry_interval')).toBe('5s');
  });

  it.each([
    ['replaces a default', { wal_keep_size: '1GB' }, {}, 'wal_keep_size', '1GB'],
    ['ignores case', { Work_Mem: '4MB' }, {}, 'work_mem', '4MB'],
    ['never lowers the number of slots', { max_replication_slots: '4' }, {}, 'max_replication_slots', '32'],
    ['raises the number of slots', { Max_Replication_Slots: '40' }, {}, 'max_replication_slots', '40'],
    ['keeps the hash of passwords', { password_encryption: 'md5' }, {}, 'password_encryption', 'scram-sha-256'],
    ['keeps its own settings', { WAL_LEVEL: 'minimal', wal_level: 'minimal' }, {}, 'wal_level', 'logical'],
    [
      'raises what must not be lower than on the primary',
      { max_connections: '50' },
      { max_connections: 100 },
      'max_connections',
      '100',
    ],
    ['raises what is not set', {}, { max_connections: 200 }, 'max_connections', '200'],
    [
      'keeps what is higher than on the primary',
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

describe('whyRefused', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['own settings and those of extensions', { work_mem: '4MB', 'Auto_Explain.log_analyze': 'on' }, undefined],
    [
      'fixed settings, whatever their case',
      { Port: '1', archive_mode: 'off' },
      'the operator sets Port, archive_mode itself',
    ],
    ['the hash of passwords', { password_encryption: 'md5' }, 'the operator sets password_encryption itself'],
    ['a name with a space', { 'port ': '1' }, 'not a setting name: "port "'],
    ['a name with a line break', { "a = '1'\nport": '1' }, `not a setting name: "a = '1'\\nport"`],
    ['an empty name', { '': '1' }, 'not a setting name: ""'],
    ['two spellings of a name', { Work_mem: '1MB', work_mem: '4MB' }, 'work_mem is set more than once'],
    ['more senders', { max_wal_senders: '64', MAX_REPLICATION_SLOTS: '32' }, undefined],
    ['fewer senders', { Max_wal_senders: '31' }, 'Max_wal_senders must be at least 32'],
    ['slots in another notation', { max_replication_slots: '1e3' }, 'max_replication_slots must be at least 32'],
  ])('%s', (_, parameters, why) => {
    expect(whyRefused(parameters)).toBe(why);
  });
});

describe('synchronousStandbyNames', () => {
  it.each([
    [{ number: 0, names: ['shop-1'] }, ''],
    [{ number: 1, names: ['shop-1', 'shop-3'] }, 'ANY 1 ("shop-1", "shop-3")'],
    // Commits wait until a replica is known.
    [{ number: 1, names: [] }, 'ANY 1 ("no-replica")'],
  ])('%j is %s', (standbys, text) => {
    expect(synchronousStandbyNames(standbys)).toBe(text);
  });
});

describe('slotOf', () => {
  it('replaces what slots may not contain', () => {
    expect(slotOf('my-shop.eu-2')).toBe('kubewright_my_shop_eu_2');
  });
});

describe('invalidSettings', () => {
  it('returns what the server says, without places in our files', () => {
    const output = [
      '2026-11-23 02:48:19.830 GMT [27120] LOG:  unrecognized configuration parameter "foo" in file "/tmp/c.conf" line 2',
      '2026-11-23 02:48:19.830 GMT [27120] FATAL:  configuration file "/tmp/c.conf" contains errors',
    ];
    expect(invalidSettings(output.join('\n'))).toBe('unrecognized configuration parameter "foo"');
  });
});
