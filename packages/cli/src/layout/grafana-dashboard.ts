import { defined } from '@kubewright/apimachinery/internal';
/** A line or group of lines in a panel. */
export interface Query {
  /** PromQL, narrowed to the job, namespace and pods selected at the top of the dashboard. */
  readonly expr: string;
  readonly legend: string;
}

/** A single chart. */
export interface Panel {
  readonly title: string;
  readonly description?: string;
  /** Grafana's name of a unit: `s`, `ops`, `bytes`, `percent`, `short`. */
  readonly unit: string;
  /** @defaultValue timeseries */
  readonly type?: 'timeseries' | 'stat';
  readonly queries: readonly Query[];
}

/** A compact description of a dashboard: rows whose panels share the available width. */
export interface Board {
  readonly title: string;
  readonly uid: string;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
}

/** Width of Grafana's grid. */
const gridWidth = 24;
const panelHeight = 8;
const maxInLine = 4;

/** The data source selected at the top of the dashboard. Works for dashboards imported manually and by a sidecar. */
const datasource = { type: 'prometheus', uid: '$DS_PROMETHEUS' };

/** The label matchers of the current selection. */
const chosen = 'job="$job", namespace="$namespace", pod=~"$pod"';

/** Returns PromQL that selects a metric within the current selection. */
export function select(metric: string, more = ''): string {
  return `${metric}{${chosen}${more === '' ? '' : `, ${more}`}}`;
}

/** Returns a dashboard in Grafana's format (schema 39). The output is deterministic. */
export function dashboard({ title, uid, rows }: Board): object {
  let y = 0;
  let id = 0;
  const panels = rows.flatMap((row) => {
    const head = { type: 'row', title: row.title, id: ++id, gridPos: { h: 1, w: gridWidth, x: 0, y }, panels: [] };
    const { length } = row.panels;
    const lines = Math.ceil(length / maxInLine);
    const inLine = Math.ceil(length / lines);
    const w = Math.floor(gridWidth / inLine);
    const below = row.panels.map((panel, index) => ({
      ...grafanaPanel(panel),
      id: ++id,
      gridPos: { h: panelHeight, w, x: w * (index % inLine), y: y + 1 + panelHeight * Math.floor(index / inLine) },
    }));
    y += 1 + panelHeight * lines;
    return [head, ...below];
  });
  return {
    title,
    uid,
    tags: ['operator', 'kubewright'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-15m', to: 'now' },
    templating: { list: variables() },
    panels,
  };
}

function grafanaPanel({ title, description, unit, type = 'timeseries', queries }: Panel): object {
  return {
    type,
    title,
    ...defined({ description }),
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      editorMode: 'code',
      range: true,
      expr,
      legendFormat: legend,
    })),
  };
}

function variables(): readonly object[] {
  const found = 'controller_runtime_reconcile_total';
  return [
    { name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', query: 'prometheus', hide: 0 },
    variable('job', `label_values(${found}, job)`),
    variable('namespace', `label_values(${found}{job="$job"}, namespace)`),
    {
      ...variable('pod', `label_values(${found}{job="$job", namespace="$namespace"}, pod)`),
      multi: true,
      includeAll: true,
      current: { selected: true, text: ['All'], value: ['$__all'] },
    },
  ];
}

function variable(name: string, query: string): object {
  // `refresh: 2` reloads the values when the time range changes.
  return { name, type: 'query', datasource, query: { query, refId: name }, definition: query, refresh: 2, sort: 1 };
}
