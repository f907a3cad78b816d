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
