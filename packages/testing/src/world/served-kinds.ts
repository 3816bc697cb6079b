import type { KindDescriptor } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import type { KubernetesClient } from '@kubewright/client';

/** Defines the kinds that the server does not serve yet. They have no schema: any object is valid, and no field has a default. */
export async function serveKinds(client: KubernetesClient, kinds: readonly KindDescriptor[]): Promise<void> {
  const mapper = await client.discovery.mapper();
  const missing = new Map<string, KindDescriptor[]>();
  for (const kind of kinds) {
    if (mapper.forKind(kind)) continue;
    const name = `${kind.plural}.${kind.group}`;
    const versions = missing.get(name) ?? [];
    if (!versions.some(({ version }) => version === kind.version)) missing.set(name, [...versions, kind]);
  }
  if (missing.size === 0) return;
  const definitions = client.resource(CustomResourceDefinition);
  for (const [name, versions] of missing) await definitions.create(definitionOf(name, versions));
  client.discovery.invalidate();
}

function definitionOf(name: string, kinds: readonly KindDescriptor[]): CustomResourceDefinition {
  const [{ group, plural, kind, scope }] = kinds as [KindDescriptor];
  return CustomResourceDefinition({
    // The API server requires this annotation only for groups under k8s.io and kubernetes.io.
    metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
    spec: {
      group,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: kinds.map(({ version }, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { status: {} },
      })),
    },
  });
}
