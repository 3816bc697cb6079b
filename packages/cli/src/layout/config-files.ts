import { formatYaml } from '@kubewright/schema/internal';
import type { Project } from '../project/find-project.ts';
import { generatedFile, type ProjectFile } from '../project/write-files.ts';
import { apiServerFiles, apiServerPatches } from './api-server-files.ts';
import { certManagerFiles, metricsPatchEntry } from './certmanager-files.ts';
import { managerFiles } from './manager-files.ts';
import { monitoringFiles } from './monitoring-files.ts';
import { patchesOf } from './patch-entry.ts';
import { rbacFiles } from './rbac-files.ts';
import { definitionPatches, type WebhookLayout, webhookFiles, webhookPatches } from './webhook-files.ts';
import { webhookRbacFiles } from './webhook-rbac-files.ts';

/** The parts of a project that determine the layout of its manifests. */
export interface LayoutInput {
  readonly project: Pick<Project, 'name' | 'certificates'>;
  /** Files in `config/` that are generated from the types, and samples; relative to the root. */
  readonly present: readonly string[];
  /** Undefined if no webhooks are declared. */
  readonly webhooks?: WebhookLayout | undefined;
}

/** Returns everything in `config/` that is not generated from the types: kubebuilder's kustomize layout, with its names. */
export function configFiles({ project, present, webhooks }: LayoutInput): readonly ProjectFile[] {
  const below = (folder: string): readonly string[] =>
    present
      .filter((path) => path.startsWith(`config/${folder}`) && !path.endsWith('kustomization.yaml'))
      .map((path) => path.slice('config/'.length + folder.lastIndexOf('/') + 1))
      .sort();
  const crds = below('crd/bases/').map((path) => path);
  const apiServices = below('apiservice/');
  const samples = below('samples/');
  const own = [...rbacFiles(project.name), ...webhookRbacFiles(project.name, webhooks)];
  const fromTypes = below('rbac/').filter((name) => !own.some(({ path }) => path === `config/rbac/${name}`));
  const rbac = [...own.map(({ path }) => path.slice('config/rbac/'.length)), ...fromTypes];
  const byCertManager = project.certificates === 'cert-manager';
  const hasWebhooks = webhooks !== undefined;
  const hasApiServer = present.includes('config/apiserver/kinds.json');
  const patches = [
    ...(byCertManager ? [metricsPatchEntry] : []),
    ...(webhooks ? webhookPatches(webhooks) : []),
    ...(hasApiServer ? apiServerPatches(project.certificates) : []),
  ];
  const hasRole = fromTypes.includes('role.yaml');
  const bound = hasRole ? rbac : rbac.filter((name) => name !== 'role_binding.yaml');
  const parts = [
    ...(crds.length > 0 ? ['../crd'] : []),
    ...(apiServices.length > 0 ? ['../apiservice'] : []),
    '../rbac',
    '../manager',
    ...(webhooks ? ['../webhook'] : []),
    ...(hasApiServer ? ['../apiserver'] : []),
    ...(byCertManager ? ['../certmanager'] : []),
    'metrics_service.yaml',
  ];
  const prefixed = `namespace: ${project.name}-system\nnamePrefix: ${project.name}-\n`;
  return [
    kustomization('config/default', parts, { before: prefixed, after: patchesOf(patches) }),
    ...(crds.length > 0
      ? [
          kustomization(
            'config/crd',
            crds.map((name) => `bases/${name.replace(/^bases\//, '')}`),
            { after: webhooks ? definitionPatches(webhooks) : '' },
          ),
        ]
      : []),
    ...(apiServices.length > 0 ? [kustomization('config/apiservice', apiServices)] : []),
    kustomization('config/rbac', bound),
    ...own,
    ...managerFiles(project.name),
    ...(webhooks ? webhookFiles(project.name, webhooks) : []),
    ...(hasApiServer ? apiServerFiles(project.name, project.certificates) : []),
    ...(byCertManager ? certManagerFiles(project.name, { hasWebhooks, hasApiServer }) : []),
    ...monitoringFiles(project.name, { hasWebhooks, byCertManager }),
    ...(samples.length > 0 ? [kustomization('config/samples', samples)] : []),
  ];
}

function kustomization(
  folder: string,
  resources: readonly string[],
  { before = '', after = '' }: { readonly before?: string; readonly after?: string } = {},
): ProjectFile {
  // File names may need quotes: `a: b.yaml`.
  const list = formatYaml({ resources });
  return generatedFile(`${folder}/kustomization.yaml`, `${before}${list}${after}`);
}
