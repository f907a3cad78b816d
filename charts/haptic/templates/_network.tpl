{{/* (list CONTEXT COMPONENT): peers in a NetworkPolicy that are this release's pods of a component. */}}
{{- define "haptic.peer" -}}
- podSelector:
    matchLabels:
      {{- include "haptic.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* Egress that every pod of this release needs to find names and addresses outside of the cluster: EGRESS of the values. */}}
{{- define "haptic.commonEgress" -}}
{{- if .dns.enabled }}
# Names.
- ports:
    - { protocol: UDP, port: {{ .dns.port }} }
    - { protocol: TCP, port: {{ .dns.port }} }
{{- end }}
{{- if .external.enabled }}
# Lists and files from the web, OCSP responders, servers outside of the cluster.
- to:
    {{- range .external.cidrs }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
  {{- with .external.ports }}
  ports:
    {{- range . }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- end }}
{{- end }}
{{- with .additionalRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}
