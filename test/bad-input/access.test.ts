import { replayTable } from './replay-table.ts';

replayTable('access');
