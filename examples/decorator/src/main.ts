import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Service } from '@kubewright/apimachinery/core/v1';
import { runOperator } from '@kubewright/runtime';
import { decorator } from './decorator.ts';
import { removeServices, servicePerPod, wantsServices } from './service-per-pod.ts';
import { webhook } from './sync-hook.ts';

/** URL of the hooks in another program. If unset, the functions in this program are called. */
const url = process.env['HOOK_URL'];

const services = decorator({
  name: 'service-per-pod',
  for: StatefulSet,
  selects: wantsServices,
  attachments: [Service],
  sync: url ? webhook(url) : servicePerPod,
  finalize: url ? webhook(url) : removeServices,
});

process.exitCode = await runOperator({ controllers: [services] });
