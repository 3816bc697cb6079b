export function protobufTable(data) { return 'export {};\n'; }
