import { replayTable } from './replay-table.ts';

replayTable('transport');
