{{/* (list CONTEXT COMPONENT BUDGET): how many pods of a component may be away while nodes are emptied. */}}
{{- define "haptic.budget" -}}
{{- $context := index . 0 -}}
{{- $component := index . 1 -}}
{{- $budget := index . 2 -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "haptic.name" (list $context $component) }}
  namespace: {{ $context.Release.Namespace }}
  labels:
    {{- include "haptic.labels" (list $context $component) | nindent 4 }}
  {{- include "haptic.annotations" (list $context) | nindent 2 }}
spec:
  {{- if eq (toString $budget.maxUnavailable) "" }}
  minAvailable: {{ $budget.minAvailable }}
  {{- else }}
  maxUnavailable: {{ $budget.maxUnavailable }}
  {{- end }}
  # A pod that does not work is in nobody's way.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "haptic.selectorLabels" (list $context $component) | nindent 6 }}
{{- end -}}

{{/* Pods of HAProxy that there are at least; 0 where that is not known. */}}
{{- define "haptic.haproxyReplicas" -}}
{{- if .Values.haproxy.keda.enabled -}}{{- int .Values.haproxy.keda.minReplicas -}}
{{- else if .Values.haproxy.autoscaling.enabled -}}{{- int .Values.haproxy.autoscaling.minReplicas -}}
{{- else -}}{{- int .Values.haproxy.replicaCount -}}{{- end -}}
{{- end -}}
