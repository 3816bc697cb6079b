export function typeTable(data) { return 'export {};\n'; }
