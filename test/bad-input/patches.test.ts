import { replayTable } from './replay-table.ts';

replayTable('patches');
