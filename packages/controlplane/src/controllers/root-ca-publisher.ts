import { isAlreadyExists, isDeleting } from '@kubewright/apimachinery';
import { ConfigMap, Namespace } from '@kubewright/apimachinery/core/v1';
import { controller, enqueueMapped, watch } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';

const configMapName = 'kube-root-ca.crt';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Publishes the cluster's CA certificate in a ConfigMap in every namespace, for pods to use. */
export function rootCaPublisher(options: { readonly ca: string }): BuiltInController {
  return {
    account: 'root-ca-cert-publisher',
    definition: controller({
      name: 'root-ca-cert-publisher',
      for: Namespace,
      watches: [
        watch(
          ConfigMap,
          enqueueMapped(({ namespace }) => [{ name: namespace }]),
          // Watch only the published ConfigMaps.
          { fieldSelector: `metadata.name=${configMapName}` },
        ),
      ],
      maxConcurrentReconciles: 5,
      // The controller's role cannot get namespaces. A ConfigMap is deleted with its namespace anyway.
      fenced: false,
      async reconcile(namespace, ctx) {
        if (isDeleting(namespace)) return;
        const key = { namespace: namespace.metadata.name, name: configMapName };
        const found = ctx.cache.lister(ConfigMap).get(key);
        const configMaps = ctx.client.resource(ConfigMap);
        const annotations = { 'kubernetes.io/description': description };
        const data = { 'ca.crt': options.ca };
        if (!found) {
          const wanted = ConfigMap({ metadata: { ...key, annotations }, data });
          await configMaps.create(wanted, { signal: ctx.signal }).catch(ignoreAlreadyExists);
        } else if (found.data?.['ca.crt'] !== options.ca || Object.keys(found.data).length > 1) {
          const metadata = { ...found.metadata, annotations: { ...found.metadata.annotations, ...annotations } };
          await configMaps.update({ ...found, metadata, data }, { signal: ctx.signal });
        }
      },
    }),
  };
}

function ignoreAlreadyExists(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
