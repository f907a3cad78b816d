{{/* Fields of a Service that values have under the same names. */}}
{{- define "haptic.serviceOptions" -}}
{{- range $field := list "clusterIP" "loadBalancerIP" "loadBalancerClass" "externalName" "ipFamilyPolicy" "trafficDistribution" "sessionAffinity" "internalTrafficPolicy" }}
{{- with get $ $field }}
{{ $field }}: {{ . }}
{{- end }}
{{- end }}
{{- if has .type (list "NodePort" "LoadBalancer") }}
{{- with .externalTrafficPolicy }}
externalTrafficPolicy: {{ . }}
{{- end }}
{{- end }}
{{- if eq .type "LoadBalancer" }}
{{- with .healthCheckNodePort }}
healthCheckNodePort: {{ . }}
{{- end }}
{{- if not (kindIs "invalid" .allocateLoadBalancerNodePorts) }}
allocateLoadBalancerNodePorts: {{ .allocateLoadBalancerNodePorts }}
{{- end }}
{{- end }}
{{- if .publishNotReadyAddresses }}
publishNotReadyAddresses: true
{{- end }}
{{- range $field := list "clusterIPs" "externalIPs" "ipFamilies" "loadBalancerSourceRanges" "sessionAffinityConfig" }}
{{- with get $ $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}
