export { ServerMetrics, type ServerMetricsOptions } from './metrics-handler.ts';
