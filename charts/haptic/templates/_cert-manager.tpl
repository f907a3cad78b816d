{{/* (list CONTEXT VALUES NAME): who issues; NAME is that of the issuer which this chart makes. */}}
{{- define "haptic.issuerRef" -}}
{{- $values := index . 1 -}}
{{- if $values.createIssuer }}
name: {{ index . 2 }}
kind: Issuer
group: cert-manager.io
{{- else }}
{{- toYaml $values.issuerRef }}
{{- end -}}
{{- end -}}

{{/* (list CONTEXT COMPONENT NAME): an issuer whose certificates are signed by their own key. */}}
{{- define "haptic.selfSignedIssuer" -}}
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: {{ index . 2 }}
  namespace: {{ (index . 0).Release.Namespace }}
  labels:
    {{- include "haptic.labels" (list (index . 0) (index . 1)) | nindent 4 }}
  {{- include "haptic.annotations" (list (index . 0)) | nindent 2 }}
spec:
  selfSigned: {}
{{- end -}}

{{/* (list CONTEXT COMPONENT NAME SECRET): an authority of this release, and the issuer that signs with its key. */}}
{{- define "haptic.authority" -}}
{{- $context := index . 0 -}}
{{- $component := index . 1 -}}
{{- $name := index . 2 -}}
{{- $secret := index . 3 -}}
{{- $selfSigned := printf "%s-self" (include "haptic.shorten" (list $name 58)) -}}
{{ include "haptic.selfSignedIssuer" (list $context $component $selfSigned) }}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: {{ $name }}
  namespace: {{ $context.Release.Namespace }}
  labels:
    {{- include "haptic.labels" (list $context $component) | nindent 4 }}
  {{- include "haptic.annotations" (list $context) | nindent 2 }}
spec:
  isCA: true
  commonName: {{ trunc 64 $name }}
  secretName: {{ $secret }}
  # Ten years, and the same key after that: what it signed before stays believed.
  duration: 87600h
  renewBefore: 8760h
  privateKey: { algorithm: ECDSA, size: 256, rotationPolicy: Never }
  issuerRef:
    name: {{ $selfSigned }}
    kind: Issuer
    group: cert-manager.io
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: {{ $name }}
  namespace: {{ $context.Release.Namespace }}
  labels:
    {{- include "haptic.labels" (list $context $component) | nindent 4 }}
  {{- include "haptic.annotations" (list $context) | nindent 2 }}
spec:
  ca:
    secretName: {{ $secret }}
{{- end -}}

{{/* (dict "context" "component" "name" "secret" "values" "issuer" "dnsNames" "usage"): a certificate, with the authority's in `ca.crt`. */}}
{{- define "haptic.certificate" -}}
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: {{ .name }}
  namespace: {{ .context.Release.Namespace }}
  labels:
    {{- include "haptic.labels" (list .context .component) | nindent 4 }}
  {{- include "haptic.annotations" (list .context) | nindent 2 }}
spec:
  secretName: {{ .secret }}
  duration: {{ .values.duration }}
  renewBefore: {{ .values.renewBefore }}
  privateKey: { algorithm: ECDSA, size: 256, rotationPolicy: Always }
  dnsNames:
    {{- toYaml .dnsNames | nindent 4 }}
  usages: [digital signature, key encipherment, {{ .usage }}]
  issuerRef:
    {{- include "haptic.issuerRef" (list .context .values .issuer) | trim | nindent 4 }}
{{- end -}}
