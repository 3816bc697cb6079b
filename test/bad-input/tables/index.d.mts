import type { Table } from '../wire.mjs';

export const tables: Readonly<Record<string, Table>>;
