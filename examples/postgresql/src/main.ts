import { Manager } from '@kubewright/runtime';
import { postgresql } from './controllers/postgresql.ts';

await new Manager({
  controllers: [postgresql],
  healthProbeBindAddress: process.env['HEALTH_PROBE_BIND_ADDRESS'] ?? ':8081',
  metricsBindAddress: process.env['METRICS_BIND_ADDRESS'] ?? '0',
}).run();
