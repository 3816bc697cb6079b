import { invalidField } from '@kubewright/apimachinery';
import {
  converter,
  defaulter,
  defineKind,
  ownAuthority,
  runOperator,
  spoke,
  validator,
  type WebhookDefinition,
} from '@kubewright/runtime';

const group = 'example.com';
const Site = defineKind<{ readonly title: string; readonly pages?: number }>({ group, version: 'v1', kind: 'Site' });
const OldSite = defineKind<{ readonly name: string }>({ group, version: 'v1beta1', kind: 'Site', storage: false });

export const webhooks: readonly WebhookDefinition[] = [
  validator(Site, {
    create: ({ spec }) => (spec.title === '' ? [invalidField('spec.title', '', 'must not be empty')] : []),
    update: ({ spec }, { old }) => (spec.title === old.spec.title ? undefined : 'a site keeps its title'),
  }),
  defaulter(Site, (site) => ({ ...site, spec: { pages: 1, ...site.spec } })),
  converter(Site, [
    spoke(OldSite, {
      toHub: (old) => ({ spec: { title: old.spec.name } }),
      fromHub: (site) => ({ spec: { name: site.spec.title } }),
    }),
  ]),
];

const certificates = ownAuthority({
  secret: { namespace: 'site-system', name: 'webhook-server-cert' },
  service: { namespace: 'site-system', name: 'webhook-service' },
  mutating: ['mutating-webhook-configuration'],
  validating: ['validating-webhook-configuration'],
});

process.exitCode = await runOperator({ webhooks, webhookServer: { certificates } });
