export { resourceMetrics } from './resource-metrics.ts';
