/**
 * Names that templates share. A release that is called like the chart gives the names that `config/default` has; every other
 * one puts its own in front.
 */
export function namedTemplates(chart: string): string {
  // The longest of our names adds 35 characters, and a service's name has at most 63; `init` holds projects to that.
  const short = `| trunc ${Math.max(28, chart.length)} | trimSuffix "-"`;
  return `{{/* Stands before the names of all objects. */}}
{{- define "${chart}.prefix" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride ${short} -}}
{{- else if contains (.Values.nameOverride | default .Chart.Name) .Release.Name -}}
{{- .Release.Name ${short} -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (.Values.nameOverride | default .Chart.Name) ${short} -}}
{{- end -}}
{{- end -}}

{{/* The account that the operator runs as. */}}
{{- define "${chart}.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.enabled -}}
{{- include "${chart}.prefix" . }}-controller-manager
{{- else -}}
default
{{- end -}}
{{- end -}}
`;
}
