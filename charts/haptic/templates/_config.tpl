{{/* Names of the libraries that are turned on, lowest first. */}}
{{- define "haptic.libraries" -}}
{{- $names := list -}}
{{- range $name, $library := .Values.controller.templateLibraries -}}
{{- if not ($.Files.Get (printf "libraries/%s.yaml" $name)) -}}
{{- $known := list -}}
{{- range $path, $_ := $.Files.Glob "libraries/*.yaml" -}}{{- $known = append $known (base $path | trimSuffix ".yaml") -}}{{- end -}}
{{- fail (printf "controller.templateLibraries.%s: there is no such library; there are %s" $name (join ", " $known)) -}}
{{- end -}}
{{- end -}}
{{- range .Values.controller.libraryOrder -}}
{{- if dig . "enabled" false $.Values.controller.templateLibraries -}}{{- $names = append $names . -}}{{- end -}}
{{- end -}}
{{- range $name, $library := .Values.controller.templateLibraries -}}
{{- if and $library.enabled (not (has $name $names)) -}}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- if has "ingress" $names -}}
{{- range list "policies" "policies-access" "policies-requests" -}}
{{- if not (has . $names) -}}{{- fail (printf "controller.templateLibraries.ingress needs the libraries that print policies; set controller.templateLibraries.%s.enabled to true" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* (list CONTEXT NAME): a library as JSON. */}}
{{- define "haptic.library" -}}
{{- $library := fromYaml ((index . 0).Files.Get (printf "libraries/%s.yaml" (index . 1))) -}}
{{- if hasKey $library "Error" -}}{{- fail (printf "library %s cannot be read: %s" (index . 1) $library.Error) -}}{{- end -}}
{{- toJson $library -}}
{{- end -}}

{{/* Name and revision of a library's object. */}}
{{- define "haptic.libraryName" -}}
{{- include "haptic.name" (list (index . 0) (index . 1)) -}}
{{- end -}}
{{- define "haptic.libraryRevision" -}}
{{- printf "%s-%s" (index . 0).Chart.AppVersion (include "haptic.library" . | sha256sum | trunc 12) -}}
{{- end -}}

{{/* MiB that HAProxy may take: three quarters of its limit, since a worker that finishes its connections stands beside the new one. Empty: no limit. */}}
{{- define "haptic.haproxyMemory" -}}
{{- if not (kindIs "invalid" .Values.haproxy.memoryLimitMiB) -}}
{{- if gt (int .Values.haproxy.memoryLimitMiB) 0 -}}{{- int .Values.haproxy.memoryLimitMiB -}}{{- end -}}
{{- else -}}
{{- $limit := dig "limits" "memory" "" (.Values.haproxy.resources | default dict) -}}
{{- if $limit -}}{{- div (mul (div (include "haptic.bytes" $limit | int64) 1048576) 3) 4 -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Connections of a HAProxy: 64 KiB each out of its memory, and 8000 at most, for which a limit of 20000 open files is enough. Empty: the library's. */}}
{{- define "haptic.maxconn" -}}
{{- if .Values.haproxy.maxconn -}}
{{- int .Values.haproxy.maxconn -}}
{{- else -}}
{{- $memory := include "haptic.haproxyMemory" . -}}
{{- if $memory -}}{{- min 8000 (mul (int64 $memory) 16) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether HAProxy listens for HTTPS: "true", or nothing. */}}
{{- define "haptic.https" -}}
{{- if kindIs "bool" .Values.haproxy.https.enabled -}}
{{- if .Values.haproxy.https.enabled -}}true{{- end -}}
{{- else if has "ssl" (fromJsonArray (include "haptic.libraries" .)) -}}true{{- end -}}
{{- end -}}

{{/* Whether HAProxy listens for HTTP/3: "true", or nothing. */}}
{{- define "haptic.quic" -}}
{{- if and .Values.haproxy.quic.enabled (include "haptic.https" .) -}}true{{- end -}}
{{- end -}}

{{/* Threads that HAProxy's memory is enough for: the stack of each takes up to 10 MiB of what `-m` allows. Empty: no limit. */}}
{{- define "haptic.threadLimit" -}}
{{- $memory := include "haptic.haproxyMemory" . -}}
{{- if $memory -}}{{- max 1 (div (sub (int64 $memory) 64) 12) -}}{{- end -}}
{{- end -}}

{{/* Threads of a HAProxy: one for each processor of its limit, which HAProxy does not look at. Empty: as many as the node has processors. */}}
{{- define "haptic.nbthread" -}}
{{- if .Values.haproxy.nbthread -}}
{{- int .Values.haproxy.nbthread -}}
{{- else -}}
{{- $limit := dig "limits" "cpu" "" (.Values.haproxy.resources | default dict) | toString -}}
{{- if $limit -}}
{{- $processors := 0 -}}
{{- if hasSuffix "m" $limit -}}{{- $processors = divf (trimSuffix "m" $limit | float64) 1000 | ceil | int -}}
{{- else -}}{{- $processors = float64 $limit | ceil | int -}}{{- end -}}
{{- min $processors (include "haptic.threadLimit" . | default "1024" | int) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What the chart itself says of the configuration; `controller.config` is laid over it. */}}
{{- define "haptic.chartConfig" -}}
podSelector:
  matchLabels:
    {{- include "haptic.selectorLabels" (list . "haproxy") | nindent 4 }}
libraryRefs:
  {{- $libraries := fromJsonArray (include "haptic.libraries" .) }}
  {{- range $libraries }}
  - name: {{ include "haptic.libraryName" (list $ .) }}
    revision: {{ include "haptic.libraryRevision" (list $ .) | quote }}
  {{- else }} []
  {{- end }}
controller:
  leaderElection:
    leaseName: {{ include "haptic.leaseName" . }}
  {{- $service := .Values.haproxy.service }}
  {{- if and .Values.haproxy.enabled $service.enabled (or (eq $service.type "LoadBalancer") $service.externalIPs) }}
  publishService:
    namespace: {{ .Release.Namespace }}
    name: {{ include "haptic.name" (list . "haproxy") }}
  {{- end }}
  {{- if has "ssl" $libraries }}
  {{- if .Values.defaultSSLCertificate.enabled }}
  defaultSSLCertificate:
    namespace: {{ .Values.defaultSSLCertificate.namespace | default .Release.Namespace }}
    name: {{ include "haptic.defaultCertificateName" . }}
  {{- end }}
  selfSignedCertificate:
    namespace: {{ .Release.Namespace }}
    name: {{ include "haptic.selfSignedSecret" . }}
  {{- end }}
dataplane:
  port: {{ .Values.haproxy.ports.agent }}
  minDeploymentInterval: {{ .Values.agent.reloadIntervalMin }}
  reloadVerificationTimeout: {{ .Values.agent.reloadTimeout }}
templatingSettings:
  extraContext:
    httpBind: {{ printf "%s:%d" .Values.haproxy.bindAddress (int .Values.haproxy.ports.http) | quote }}
    statusBind: {{ printf "%s:%d" .Values.haproxy.bindAddress (int .Values.haproxy.ports.stats) | quote }}
    {{- if (include "haptic.https" $) }}
    httpsBind: {{ printf "%s:%d" .Values.haproxy.bindAddress (int .Values.haproxy.ports.https) | quote }}
    {{- end }}
    {{- if include "haptic.quic" . }}
    httpsQuicBind: {{ printf "%s@%s:%d" (ternary "quic6" "quic4" (contains ":" .Values.haproxy.bindAddress)) .Values.haproxy.bindAddress (int .Values.haproxy.ports.https) | quote }}
    {{- end }}
    {{- with include "haptic.maxconn" . }}
    maxconn: {{ . }}
    {{- end }}
    {{- with include "haptic.nbthread" . }}
    nbthread: {{ . }}
    {{- end }}
    hardStopAfter: {{ .Values.haproxy.hardStopAfter }}
    {{- if .Values.haproxy.sharedLimits.enabled }}
    limits:
      peersPort: {{ .Values.haproxy.ports.peers }}
    {{- end }}
{{- $threads := include "haptic.threadLimit" . }}
{{- if and $threads (not (include "haptic.nbthread" .)) (has "base" $libraries) }}
templateSnippets:
  # A node may have more processors than HAProxy has memory for threads. 2.6 knows no such limit.
  global-settings-100-threads:
    template: |
      {{ `{{#if (versionAtLeast capabilities.version "2.8")}}` }}
      {{ printf "    thread-hard-limit %s" $threads }}
      {{ `{{/if}}` }}
{{- end }}
{{- if and (or .Values.ingressClass.enabled .Values.ingressClass.name) (has "ingress" $libraries) (not .Values.ingressClass.serveOthers) }}
watchedResources:
  ingressclasses:
    fieldSelector: metadata.name={{ include "haptic.ingressClassName" . }}
{{- end }}
{{- end -}}

{{- define "haptic.defaultCertificateName" -}}
{{- $own := ternary "default-ssl" "default-ssl-cert" .Values.defaultSSLCertificate.certManager.enabled -}}
{{- .Values.defaultSSLCertificate.secretName | default (include "haptic.name" (list . $own)) -}}
{{- end -}}

{{- define "haptic.ingressClassName" -}}
{{- .Values.ingressClass.name | default (include "haptic.fullname" .) -}}
{{- end -}}

{{/* The spec of the HAProxyTemplateConfig, as JSON. */}}
{{- define "haptic.config" -}}
{{- $chart := fromYaml (include "haptic.chartConfig" .) -}}
{{- if hasKey $chart "Error" -}}{{- fail (printf "the configuration cannot be made of these values: %s" $chart.Error) -}}{{- end -}}
{{- /* Pods of others have labels of their own. */}}
{{- if and (not .Values.haproxy.enabled) (dig "podSelector" "matchLabels" dict .Values.controller.config) -}}{{- $_ := unset $chart "podSelector" -}}{{- end -}}
{{- toJson (mustMergeOverwrite $chart (deepCopy .Values.controller.config)) -}}
{{- end -}}

{{/* watchedResources as they are once libraries and configuration are laid over each other, as JSON. */}}
{{- define "haptic.watchedResources" -}}
{{- $watched := dict -}}
{{- range fromJsonArray (include "haptic.libraries" .) -}}
{{- $library := fromJson (include "haptic.library" (list $ .)) -}}
{{- $watched = mustMergeOverwrite $watched (get $library "watchedResources" | default dict) -}}
{{- end -}}
{{- $config := fromJson (include "haptic.config" .) -}}
{{- $watched = mustMergeOverwrite $watched (get $config "watchedResources" | default dict) -}}
{{- toJson $watched -}}
{{- end -}}
