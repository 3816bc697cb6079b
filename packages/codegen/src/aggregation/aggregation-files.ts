import { BuiltinDescriptions, groupVersionDocument } from '@kubewright/schema';
import type { GeneratedFile } from '../generate.ts';
import { formatYamlDocuments } from '../yaml/format-yaml.ts';
import type { AggregatedVersion } from './aggregated-versions.ts';
import { type ApiServerPlace, apiService } from './api-services.ts';

/**
 * Writes what stands in place of CRDs for kinds of an aggregated API server: for each group version the APIService, and the
 * OpenAPI document that the server publishes as it is, under `/openapi/v3/apis/<group>/<version>`.
 */
export function aggregationFiles(
  versions: readonly AggregatedVersion[],
  place: ApiServerPlace,
): readonly GeneratedFile[] {
  const texts = new BuiltinDescriptions();
  return versions.flatMap((one) => {
    const name = `${one.group}_${one.version}`;
    const document = groupVersionDocument(one.resources, {
      title: one.group,
      version: one.version,
      description: (definition, field) => texts.description(definition, field),
    });
    return [
      { path: `config/apiservice/${name}.yaml`, text: formatYamlDocuments([apiService(one, place)]) },
      { path: `config/openapi/${name}.json`, text: `${JSON.stringify(document, undefined, 2)}\n` },
    ];
  });
}
