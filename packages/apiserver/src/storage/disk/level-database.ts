import { DiskStorageError } from './disk-storage-error.ts';

/** The part of `classic-level` that the disk store uses. */
export interface LevelDatabase {
  batch(operations: readonly LevelOperation[], options: { readonly sync: boolean }): Promise<void>;
  iterator(): AsyncIterable<[key: string, value: Uint8Array]>;
  get(key: string): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/** One write of a batch. */
export type LevelOperation =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

interface LevelModule {
  readonly ClassicLevel: {
    new (
      location: string,
      options: { readonly keyEncoding: 'utf8'; readonly valueEncoding: 'view' },
    ): LevelDatabase & {
      open(options: { readonly createIfMissing: boolean }): Promise<void>;
    };
    repair(location: string): Promise<void>;
  };
}

/** Opens a LevelDB database. Throws the library's error, whose cause has a code such as `LEVEL_LOCKED` or `LEVEL_CORRUPTION`. */
export async function openLevel(location: string): Promise<LevelDatabase> {
  const { ClassicLevel } = await levelModule();
  const database = new ClassicLevel(location, { keyEncoding: 'utf8', valueEncoding: 'view' });
  await database.open({ createIfMissing: true });
  return database;
}

/** Repairs a damaged database: drops everything unreadable. */
export async function repairLevel(location: string): Promise<void> {
  await (await levelModule()).ClassicLevel.repair(location);
}

/** Loads the library, which is optional: only stores on disk need it. */
async function levelModule(): Promise<LevelModule> {
  // Not a literal, so that programs without stores on disk can be bundled and type-checked without the library.
  const name: string = 'classic-level';
  try {
    return (await import(name)) as LevelModule;
  } catch (cause) {
    const why = 'the package classic-level is not installed or has no binary for this platform';
    const remedy = 'run npm install classic-level, or keep state in memory';
    throw new DiskStorageError({ what: 'cannot store objects on disk', why, remedy }, { cause });
  }
}
