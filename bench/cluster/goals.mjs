const atMost = (limit) => ({ text: `≤ ${limit}`, holds: (ratio) => ratio <= limit });
const atLeast = (limit) => ({ text: `≥ ${limit}`, holds: (ratio) => ratio >= limit });

/** The measurements, in the table's order. Goals are ratios of our figure to the real control plane's. */
export const goals = [
  { figure: 'ready, first start', unit: 'ms' },
  { figure: 'ready, certificates kept', unit: 'ms', goal: atMost(0.1) },
  { figure: 'idle memory', unit: 'MB', goal: atMost(0.33) },
  { figure: 'creates, 1 client', unit: '1/s', goal: atLeast(2) },
  { figure: 'creates, 8 clients', unit: '1/s', goal: atLeast(2) },
  { figure: 'creates, 32 clients', unit: '1/s', goal: atLeast(2) },
  { figure: 'processor time of a create', unit: 'µs' },
  { figure: 'watch events, 200 watchers', unit: '1/s', goal: atLeast(1) },
  { figure: 'write → watch, p50', unit: 'ms', digits: 2, goal: atMost(0.6) },
  { figure: 'write → watch, p99', unit: 'ms', digits: 2 },
];
