{{/* (list CONTEXT COMPONENT SERVICEACCOUNT ARGS RESOURCES): the pod of a Job that runs `haptic`. */}}
{{- define "haptic.jobPod" -}}
{{- $context := index . 0 -}}
{{- $jobs := $context.Values.jobs -}}
metadata:
  labels:
    {{- include "haptic.podLabels" (list $context (index . 1) $jobs.podLabels) | nindent 4 }}
  {{- include "haptic.annotations" (list $context $jobs.podAnnotations) | nindent 2 }}
spec:
  {{- include "haptic.pullSecrets" $context | nindent 2 }}
  serviceAccountName: {{ index . 2 }}
  automountServiceAccountToken: true
  restartPolicy: OnFailure
  securityContext:
    {{- include "haptic.podSecurity" (list $context.Values.podSecurityContext list) | nindent 4 }}
  {{- include "haptic.podOptions" (list $context $jobs (index . 1)) | nindent 2 }}
  containers:
    - name: haptic
      image: {{ include "haptic.image" $context }}
      imagePullPolicy: {{ $context.Values.image.pullPolicy }}
      args:
        {{- range index . 3 }}
        - {{ . | quote }}
        {{- end }}
      resources:
        {{- toYaml $jobs.resources | nindent 8 }}
      securityContext:
        {{- toYaml $context.Values.securityContext | nindent 8 }}
{{- end -}}

{{/* Secrets that `haptic certificates` fills, as JSON. */}}
{{- define "haptic.certificateSecrets" -}}
{{- toJson (compact (list (include "haptic.issuerSecret" .) (include "haptic.agentSecret" .) (include "haptic.controllerSecret" .) (include "haptic.selfSignedSecret" .))) -}}
{{- end -}}

{{- define "haptic.certificatesPod" -}}
{{- $args := list
  "certificates"
  (printf "--namespace=%s" .Release.Namespace)
  (printf "--issuer-secret=%s" (include "haptic.issuerSecret" .))
  (printf "--server-secret=%s" (include "haptic.agentSecret" .))
  (printf "--client-secret=%s" (include "haptic.controllerSecret" .))
  (printf "--server-name=%s" (include "haptic.agentServerName" .))
  (printf "--client-name=%s" (include "haptic.agentClientName" .))
  (printf "--validity-days=%d" (int .Values.agentTls.managed.validityDays))
-}}
{{- with include "haptic.selfSignedSecret" . -}}{{- $args = append $args (printf "--self-signed-secret=%s" .) -}}{{- end -}}
{{- include "haptic.jobPod" (list . "certificates" (include "haptic.name" (list . "certificates")) $args) -}}
{{- end -}}
