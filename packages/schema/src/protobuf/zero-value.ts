import type { MessageField } from './message-table.ts';

/** Returns Go's zero value of a field's type, as JSON. */
export function zeroOf(field: MessageField): unknown {
  switch (field.type) {
    case 's':
    case 'y':
      return '';
    case 'b':
      return false;
    case 'i':
    case 'l':
    case 'n':
      return 0;
    case 'Q':
      return '0';
    case 'W':
      return [];
    case '@':
      return {};
    default:
      return null;
  }
}
