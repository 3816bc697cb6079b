export function resourceTable(data) { return 'export {};\n'; }
