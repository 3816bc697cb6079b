// Records what Helm makes of a chart: HELM=… node test/cli/testdata/record-helm.mjs CHART > test/cli/testdata/helm-recorded.json
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';

const [chart] = process.argv.slice(2);
const helm = process.env.HELM ?? 'helm';
const templates = Object.fromEntries(
  readdirSync(join(chart, 'templates'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path.slice(chart.length + 1), readFileSync(path, 'utf8')]),
);
const read = (name) => parseDocument(readFileSync(join(chart, name), 'utf8')).toJS();
const { name } = read('Chart.yaml');
const sets = [
  [],
  ['rbac.namespaced=true', 'rbac.helpers.enabled=false', 'crd.keep=false'],
  ['metrics.secure=false', 'metrics.port=9090', 'prometheus.enabled=true', 'networkPolicy.enabled=true'],
  ['metrics.enabled=false', 'crd.enabled=false', 'serviceAccount.enabled=false', 'serviceAccount.name=mine'],
  ['certManager.enabled=false', 'manager.image.tag=', 'manager.replicas=3', 'manager.nodeSelector.disk=ssd'],
  ['webhook.enabled=false', 'certManager.enabled=false'],
  ['webhook.port=9444', 'networkPolicy.enabled=true'],
  ['fullnameOverride=short', 'manager.pod.labels.team=a', 'manager.extraVolumes[0].name=tmp', 'manager.args[0]=--zap-devel'],
];
// A schema once is enough.
const cases = sets.map((set, index) => (index < 2 ? set : [...set, 'crd.enabled=false'])).flatMap((set) =>
  [name, 'other'].map((release) => {
    const args = ['template', release, chart, '-n', 'there', ...set.flatMap((each) => ['--set', each])];
    const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return { release, set, text: stdout };
  }),
);
console.log(JSON.stringify({ chart: read('Chart.yaml'), values: read('values.yaml'), templates, cases }, null, 1));
