import type { Command } from '../command.ts';
import { backup } from './backup.ts';
import { fence } from './fence.ts';
import { logs } from './logs.ts';
import { promote } from './promote.ts';
import { psql } from './psql.ts';
import { report } from './report.ts';
import { restore } from './restore.ts';
import { status } from './status.ts';

/** The commands by name, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  status,
  promote,
  fence,
  backup,
  restore,
  psql,
  logs,
  report,
};
