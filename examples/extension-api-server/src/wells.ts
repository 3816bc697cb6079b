import { systemClock } from '@kubewright/apimachinery';
import { apiServer, computed, type ExtensionServer, type ExtensionServerOptions } from '@kubewright/apiserver';
import definitions from '../config/apiserver/kinds.json' with { type: 'json' };
import { WaterLevel } from './api/v1/water-level.ts';
import { Well } from './api/v1/well.ts';
import { measure } from './gauge.ts';

/** Creates the API server: wells are stored, water levels are computed. */
export function wellServer(options: Omit<ExtensionServerOptions, 'kinds' | 'definitions'>): ExtensionServer {
  const { clock = systemClock } = options;
  const levels = computed(WaterLevel, {
    list: ({ namespace }) => measure(namespace, clock.now()),
    get: ({ namespace, name }) => measure(namespace, clock.now()).find(({ metadata }) => metadata.name === name),
  });
  return apiServer({ kinds: [Well, levels], definitions, ...options });
}
