{{/* Base of all names: at most 53 characters, as Helm's own limit for release names. */}}
{{- define "haptic.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := "" -}}
{{- if .Values.fullnameOverride -}}
{{- $full = .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- $full = .Release.Name -}}
{{- else -}}
{{- $full = printf "%s-%s" .Release.Name $name -}}
{{- end -}}
{{- include "haptic.shorten" (list $full 63) -}}
{{- end -}}

{{/* (list NAME LIMIT): the name, or its beginning and a digest of the whole, so that two long names stay two. */}}
{{- define "haptic.shorten" -}}
{{- $name := index . 0 -}}
{{- $limit := index . 1 -}}
{{- if gt (len $name) $limit -}}
{{- printf "%s-%s" (trunc (int (sub $limit 9)) $name | trimSuffix "-" | trimSuffix ".") (sha256sum $name | trunc 8) -}}
{{- else -}}
{{- $name -}}
{{- end -}}
{{- end -}}

{{/* (list CONTEXT SUFFIX [LIMIT]): name of an object of this release, at most LIMIT (63) characters. */}}
{{- define "haptic.name" -}}
{{- $full := include "haptic.fullname" (index . 0) -}}
{{- $suffix := index . 1 -}}
{{- $limit := 63 -}}
{{- if gt (len .) 2 -}}{{- $limit = index . 2 -}}{{- end -}}
{{- printf "%s-%s" (include "haptic.shorten" (list $full (int (sub (sub $limit 1) (len $suffix))))) $suffix -}}
{{- end -}}

{{/* Name of an object of the whole cluster: releases of one name in two namespaces have different ones. */}}
{{- define "haptic.clusterName" -}}
{{- printf "%s.%s" (include "haptic.name" .) (index . 0).Release.Namespace -}}
{{- end -}}

{{/* Name of the HAProxyTemplateConfig. */}}
{{- define "haptic.configName" -}}
{{- .Values.controller.crdName | default (include "haptic.name" (list . "config")) -}}
{{- end -}}

{{- define "haptic.leaseName" -}}
{{- dig "controller" "leaderElection" "leaseName" "" .Values.controller.config | default (include "haptic.name" (list . "leader")) -}}
{{- end -}}

{{/* What pods and selectors have: nothing of it changes with a version. */}}
{{- define "haptic.selectorLabels" -}}
app.kubernetes.io/name: haptic
app.kubernetes.io/instance: {{ (index . 0).Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* (list CONTEXT COMPONENT [LABELS]): labels of every object. The product's own win. */}}
{{- define "haptic.labels" -}}
{{- $context := index . 0 -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" $context.Chart.Name $context.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/part-of" "haptic"
  "app.kubernetes.io/version" $context.Chart.AppVersion
  "app.kubernetes.io/managed-by" $context.Release.Service
-}}
{{- $more := dict -}}
{{- if gt (len .) 2 -}}{{- $more = index . 2 | default dict -}}{{- end -}}
{{- toYaml (merge (dict) (fromYaml (include "haptic.selectorLabels" .)) $own $more ($context.Values.commonLabels | default dict)) -}}
{{- end -}}

{{/* (list CONTEXT COMPONENT LABELS): labels of a pod. No version is among them: HAProxy is not started again for a chart that only says another one. */}}
{{- define "haptic.podLabels" -}}
{{- $context := index . 0 -}}
{{- $own := merge (dict) (fromYaml (include "haptic.selectorLabels" .)) (dict "app.kubernetes.io/part-of" "haptic" "app.kubernetes.io/managed-by" $context.Release.Service) (index . 2 | default dict) ($context.Values.commonLabels | default dict) -}}
{{- toYaml $own -}}
{{- end -}}

{{/* (list CONTEXT [ANNOTATIONS...]): an `annotations:` field, or nothing. */}}
{{- define "haptic.annotations" -}}
{{- $all := dict -}}
{{- range rest . -}}{{- $all = merge $all (. | default dict) -}}{{- end -}}
{{- $all = merge $all ((first .).Values.commonAnnotations | default dict) -}}
{{- with $all }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "haptic.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The image of the HAProxy container: the same, unless it has one of its own. */}}
{{- define "haptic.haproxyImage" -}}
{{- $image := .Values.haproxy.image -}}
{{- if $image.repository -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (required "haproxy.image.tag (or haproxy.image.digest) is needed beside haproxy.image.repository" $image.tag) -}}
{{- end -}}
{{- else -}}
{{- include "haptic.image" . -}}
{{- end -}}
{{- end -}}

{{- define "haptic.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "haptic.name" (list . "controller")) -}}
{{- else -}}
{{- required "serviceAccount.name is needed where serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "haptic.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Bytes of a Kubernetes quantity; 0 for none. */}}
{{- define "haptic.bytes" -}}
{{- $text := toString (. | default "0") -}}
{{- /* A number of values is a float64, and would be written as 2.1e+09. */ -}}
{{- if kindIs "float64" . -}}{{- $text = printf "%.0f" . -}}{{- end -}}
{{- $number := regexFind "^[0-9]+(\\.[0-9]+)?" $text -}}
{{- $unit := trimPrefix $number $text -}}
{{- $factors := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- if or (eq $number "") (not (hasKey $factors $unit)) -}}
{{- fail (printf "%q is no amount of memory: write it as 512Mi or 1Gi" $text) -}}
{{- end -}}
{{- mulf (float64 $number) (float64 (get $factors $unit)) | floor | int64 -}}
{{- end -}}

{{/* Milliseconds of 500ms, 2s, 1m30s; fails with the name of the value. (list NAME TEXT) */}}
{{- define "haptic.milliseconds" -}}
{{- $text := toString (index . 1) -}}
{{- if eq $text "0" -}}
0
{{- else if not (regexMatch "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$" $text) -}}
{{- fail (printf "%s: %q is no duration: write it as 500ms, 2s or 1m30s" (index . 0) $text) -}}
{{- else -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9]+(\\.[0-9]+)?(ms|s|m|h)" $text -1 -}}
{{- $number := regexFind "^[0-9]+(\\.[0-9]+)?" . -}}
{{- $factor := get (dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000) (trimPrefix $number .) -}}
{{- $sum = addf $sum (mulf (float64 $number) (float64 $factor)) -}}
{{- end -}}
{{- $sum | int64 -}}
{{- end -}}
{{- end -}}

{{/*
Secrets of certificates. Those of cert-manager have names of their own: they are of another type, which nobody can change, so that one and the
same name would stand in the way of whoever goes over to the other, or back.
*/}}
{{- define "haptic.agentSecret" -}}
{{- .Values.agentTls.existing.agentSecret | default (include "haptic.name" (list . (ternary "agent-cert" "agent-tls" (eq .Values.agentTls.mode "certManager")))) -}}
{{- end -}}
{{- define "haptic.controllerSecret" -}}
{{- .Values.agentTls.existing.controllerSecret | default (include "haptic.name" (list . (ternary "controller-cert" "controller-tls" (eq .Values.agentTls.mode "certManager")))) -}}
{{- end -}}
{{- define "haptic.issuerSecret" -}}
{{- include "haptic.name" (list . (ternary "agent-ca" "agent-issuer" (eq .Values.agentTls.mode "certManager"))) -}}
{{- end -}}
{{/* Of the certificate that is shown where there is no other; empty where no library shows any. */}}
{{- define "haptic.selfSignedSecret" -}}
{{- if has "ssl" (fromJsonArray (include "haptic.libraries" .)) -}}{{- include "haptic.name" (list . "self-signed") -}}{{- end -}}
{{- end -}}
{{- define "haptic.agentServerName" -}}
{{- .Values.agentTls.serverName | default (printf "%s.%s.svc" (include "haptic.name" (list . "agent-tls")) .Release.Namespace) -}}
{{- end -}}
{{- define "haptic.agentClientName" -}}
{{- .Values.agentTls.clientName | default (printf "%s.%s.svc" (include "haptic.name" (list . "controller-tls")) .Release.Namespace) -}}
{{- end -}}

{{/*
A volume of one certificate. A pod waits until the Secret has one: HAPTIC's Job, cert-manager or somebody else puts it there.
The former authority is there only while trust overlaps. (list VOLUME SECRET)
*/}}
{{- define "haptic.tlsVolume" -}}
- name: {{ index . 0 }}
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ index . 1 }}
          items:
            - { key: tls.crt, path: tls.crt }
            - { key: tls.key, path: tls.key }
            - { key: ca.crt, path: ca.crt }
      - secret:
          name: {{ index . 1 }}
          optional: true
          items:
            - { key: previous-ca.crt, path: previous-ca.crt }
            - { key: previous-ca-until, path: previous-ca-until }
{{- end -}}

{{/* Arguments that a flag of --log-level takes. */}}
{{- define "haptic.logLevel" -}}
{{- lower (. | default "info") -}}
{{- end -}}
