{{/* (list CONTEXT KNOBS COMPONENT): fields of a pod that only say where and how it runs. */}}
{{- define "haptic.podOptions" -}}
{{- $context := index . 0 -}}
{{- $knobs := index . 1 -}}
{{- $component := index . 2 -}}
{{- with $knobs.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $knobs.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with $knobs.schedulerName }}
schedulerName: {{ . }}
{{- end }}
{{- with $knobs.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with $knobs.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $knobs.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $knobs.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $knobs.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $knobs.affinity }}
affinity:
  {{- tpl (toYaml .) $context | nindent 2 }}
{{- end }}
{{- if $knobs.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- tpl (toYaml $knobs.topologySpreadConstraints) $context | nindent 2 }}
{{- else if $knobs.spreadOverNodes }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "haptic.selectorLabels" (list $context $component) | nindent 8 }}
{{- end }}
{{- end -}}

{{- define "haptic.webhookSecret" -}}
{{- .Values.webhook.secretName | default (include "haptic.name" (list . "webhook-tls" 56)) -}}
{{- end -}}

{{/* Security of a container: the restricted Pod Security Standard. */}}
{{- define "haptic.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* The pod of haproxy-deployment.yaml and haproxy-daemonset.yaml. */}}
{{- define "haptic.haproxyPod" -}}
{{- $haproxy := .Values.haproxy -}}
{{- $agent := .Values.agent -}}
{{- $memory := include "haptic.haproxyMemory" . -}}
metadata:
  labels:
    {{- include "haptic.podLabels" (list . "haproxy" $haproxy.podLabels) | nindent 4 }}
  {{- include "haptic.annotations" (list . $haproxy.podAnnotations) | nindent 2 }}
spec:
  {{- include "haptic.pullSecrets" . | nindent 2 }}
  serviceAccountName: {{ include "haptic.haproxyServiceAccountName" . }}
  automountServiceAccountToken: false
  securityContext:
    {{- $security := deepCopy $haproxy.podSecurityContext }}
    {{- if or (lt (int $haproxy.ports.http) 1024) (and (include "haptic.https" $) (lt (int $haproxy.ports.https) 1024)) }}
    {{- $_ := set $security "sysctls" (concat (list (dict "name" "net.ipv4.ip_unprivileged_port_start" "value" "0")) (get $security "sysctls" | default list)) }}
    {{- end }}
    {{- toYaml $security | nindent 4 }}
  terminationGracePeriodSeconds: {{ $haproxy.terminationGracePeriodSeconds }}
  {{- if $haproxy.hostNetwork }}
  hostNetwork: true
  {{- end }}
  {{- include "haptic.podOptions" (list . $haproxy "haproxy") | nindent 2 }}
  initContainers:
    {{- with $haproxy.initContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    # A native sidecar: it is there before HAProxy starts, and until HAProxy has ended.
    - name: agent
      image: {{ include "haptic.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      restartPolicy: Always
      args:
        - agent
        - --listen=:{{ $haproxy.ports.agent }}
        - --metrics-listen=:{{ $haproxy.ports.agentMetrics }}
        - --bootstrap=/etc/haptic/bootstrap/haproxy.cfg
        - --tls-dir=/etc/haptic/agent-tls/..data
        - --tls-client-name={{ include "haptic.agentClientName" . }}
        - --reload-interval-min={{ $agent.reloadIntervalMin }}
        - --reload-timeout={{ $agent.reloadTimeout }}
        - --drain-timeout={{ $agent.serverDrainTimeout }}
        - --drain-quiet-period={{ $haproxy.drain.quietPeriod }}
        - --drain-max-wait={{ $haproxy.drain.maxWait }}
        - --drain-ignore-frontends={{ join "," $haproxy.drain.ignoreFrontends }}
        - --log-level={{ include "haptic.logLevel" $agent.logLevel }}
        {{- range $agent.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      env:
        # One heap of the C library: a large apply leaves less behind in every pod.
        - name: MALLOC_ARENA_MAX
          value: '1'
        {{- with $agent.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - { name: agent, containerPort: {{ $haproxy.ports.agent }}, protocol: TCP }
        - { name: agent-metrics, containerPort: {{ $haproxy.ports.agentMetrics }}, protocol: TCP }
      # HAProxy starts after this succeeded, so it asks for the agent alone.
      startupProbe:
        httpGet: { path: /healthz, port: agent-metrics }
        {{- toYaml $agent.startupProbe | nindent 8 }}
      livenessProbe:
        httpGet: { path: /healthz, port: agent-metrics }
        {{- toYaml $agent.livenessProbe | nindent 8 }}
      readinessProbe:
        httpGet: { path: /readyz, port: agent-metrics }
        {{- toYaml $agent.readinessProbe | nindent 8 }}
      resources:
        {{- toYaml $agent.resources | nindent 8 }}
      securityContext:
        {{- toYaml $agent.securityContext | nindent 8 }}
      volumeMounts:
        - { name: haproxy, mountPath: /etc/haproxy }
        - { name: bootstrap, mountPath: /etc/haptic/bootstrap, readOnly: true }
        - { name: agent-tls, mountPath: /etc/haptic/agent-tls, readOnly: true }
        {{- with $agent.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  containers:
    - name: haproxy
      image: {{ include "haptic.haproxyImage" . }}
      imagePullPolicy: {{ $haproxy.image.pullPolicy | default .Values.image.pullPolicy }}
      command: [{{ $haproxy.bin | quote }}]
      # The worker's socket is relative to where HAProxy is started.
      workingDir: /etc/haproxy
      args:
        - -dr
        - -W
        - -db
        {{- with $memory }}
        - -m
        - {{ . | quote }}
        {{- end }}
        - -S
        - /etc/haproxy/haproxy-master.sock,level,admin
        {{- range $haproxy.extraArgs }}
        - {{ . | quote }}
        {{- end }}
        - --
        - /etc/haproxy/haproxy.cfg
      {{- with $haproxy.extraEnv }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: {{ $haproxy.ports.http }}
          protocol: TCP
          {{- if $haproxy.hostPorts.enabled }}
          hostPort: {{ $haproxy.hostPorts.http }}
          {{- end }}
        {{- if (include "haptic.https" $) }}
        - name: https
          containerPort: {{ $haproxy.ports.https }}
          protocol: TCP
          {{- if $haproxy.hostPorts.enabled }}
          hostPort: {{ $haproxy.hostPorts.https }}
          {{- end }}
        {{- end }}
        - name: stats
          containerPort: {{ $haproxy.ports.stats }}
          protocol: TCP
        {{- with $haproxy.extraPorts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: stats }
        {{- toYaml $haproxy.startupProbe | nindent 8 }}
      livenessProbe:
        httpGet: { path: /healthz, port: stats }
        {{- toYaml $haproxy.livenessProbe | nindent 8 }}
      # Not ready before a configuration came that HAProxy accepted.
      readinessProbe:
        httpGet: { path: /ready, port: stats }
        {{- toYaml $haproxy.readinessProbe | nindent 8 }}
      lifecycle:
        {{- if $haproxy.lifecycle }}
        {{- toYaml $haproxy.lifecycle | nindent 8 }}
        {{- else }}
        preStop:
          exec:
            # Waits until no new connections come, then lets HAProxy finish those that it has: a signal TERM would end them.
            command:
              - /bin/sh
              - -c
              - {{ include "haptic.drainCommand" . | quote }}
        {{- end }}
      resources:
        {{- toYaml $haproxy.resources | nindent 8 }}
      securityContext:
        {{- toYaml $haproxy.securityContext | nindent 8 }}
      volumeMounts:
        - { name: haproxy, mountPath: /etc/haproxy }
        {{- with $haproxy.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $haproxy.sidecars }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: haproxy
      emptyDir:
        {{- toYaml $haproxy.volume | nindent 8 }}
    - name: bootstrap
      configMap:
        name: {{ include "haptic.name" (list . "bootstrap") }}
    {{- include "haptic.tlsVolume" (list "agent-tls" (include "haptic.agentSecret" .)) | nindent 4 }}
    {{- with $haproxy.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* Ends with the container: `kill` makes HAProxy's master finish its connections and exit, and the sleep with it. */}}
{{- define "haptic.drainCommand" -}}
{{- $haproxy := .Values.haproxy -}}
{{- $wait := div (add (include "haptic.milliseconds" (list "haproxy.drain.maxWait" $haproxy.drain.maxWait) | int64) 999) 1000 -}}
{{- $drain := "haptic agent drain" -}}
{{- if $haproxy.image.repository -}}{{- $drain = printf "sleep %d" (int64 $wait) -}}{{- end -}}
{{- printf "%s; kill -USR1 1; sleep %d" $drain (int $haproxy.terminationGracePeriodSeconds) -}}
{{- end -}}

{{- define "haptic.haproxyServiceAccountName" -}}
{{- if .Values.haproxy.serviceAccount.create -}}
{{- .Values.haproxy.serviceAccount.name | default (include "haptic.name" (list . "haproxy")) -}}
{{- else -}}
{{- .Values.haproxy.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}
