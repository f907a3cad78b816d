{{/* What a monitor says of each endpoint. A metric's own label `pod` is the HAProxy pod, and becomes `exported_pod`. */}}
{{- define "haptic.scrape" -}}
path: /metrics
interval: {{ .interval }}
scrapeTimeout: {{ .scrapeTimeout }}
{{- with .relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* No controller of this release is scraped: other releases, in this namespace as well, are no comfort. Kubernetes cuts what pods' names begin with to 58. */}}
{{- define "haptic.controllersAbsent" -}}
{{- $begin := trunc 57 (printf "%s-" (include "haptic.name" (list . "controller"))) -}}
{{- printf "absent(haptic_build_info{namespace=%q, pod=~%q})" .Release.Namespace (printf "%s.+" $begin) -}}
{{- end -}}
