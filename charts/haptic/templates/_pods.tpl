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
{{- .Values.webhook.secretName | default (include "haptic.name" (list . (ternary "webhook-cert" "webhook-tls" (eq .Values.webhook.certificate "certManager")) 56)) -}}
{{- end -}}

{{/* Ports that a HAProxy pod listens on, by value, as JSON. */}}
{{- define "haptic.haproxyPorts" -}}
{{- $ports := pick .Values.haproxy.ports "http" "stats" "agent" "agentMetrics" -}}
{{- if include "haptic.https" . -}}{{- $_ := set $ports "https" .Values.haproxy.ports.https -}}{{- end -}}
{{- if .Values.haproxy.sharedLimits.enabled -}}{{- $_ := set $ports "peers" .Values.haproxy.ports.peers -}}{{- end -}}
{{- $named := dict -}}
{{- range $name, $port := $ports -}}{{- $_ := set $named (printf "haproxy.ports.%s" $name) $port -}}{{- end -}}
{{- range $index, $port := .Values.haproxy.extraPorts -}}{{- $_ := set $named (printf "haproxy.extraPorts[%d]" $index) $port.containerPort -}}{{- end -}}
{{- toJson $named -}}
{{- end -}}

{{/* Of ports by value those that not everybody may listen on, as JSON. */}}
{{- define "haptic.lowPorts" -}}
{{- $low := list -}}
{{- range $name, $port := . -}}{{- if lt (int $port) 1024 -}}{{- $low = append $low $name -}}{{- end -}}{{- end -}}
{{- toJson $low -}}
{{- end -}}

{{/* (list SECURITYCONTEXT LOWPORTS): of a pod. Where there are low ports, the kernel lets everybody listen; the restricted standard allows that. */}}
{{- define "haptic.podSecurity" -}}
{{- $security := deepCopy (index . 0 | default dict) -}}
{{- if index . 1 -}}
{{- $_ := set $security "sysctls" (concat (list (dict "name" "net.ipv4.ip_unprivileged_port_start" "value" "0")) (get $security "sysctls" | default list)) -}}
{{- end -}}
{{- toYaml $security -}}
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
    {{- include "haptic.podSecurity" (list $haproxy.podSecurityContext (and (not $haproxy.hostNetwork) (fromJsonArray (include "haptic.lowPorts" (include "haptic.haproxyPorts" . | fromJson))))) | nindent 4 }}
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
        {{- if and $haproxy.image.repository (not $haproxy.lifecycle) }}
        # Nobody asks it to drain, so it cannot know when HAProxy ends: a pod that ends gets no updates.
        - --drain-socket=
        {{- end }}
        - --drain-min-wait={{ $haproxy.drain.minWait }}
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
        {{- if include "haptic.quic" $ }}
        - name: http3
          containerPort: {{ $haproxy.ports.https }}
          protocol: UDP
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

{{/*
Waits until the agent says that no new connections come, which it does not do before the least time, in which others take the pod out of their lists; and
for that time at least, be the agent there or not. An image of HAProxy without the program cannot ask: that pod waits for 20 s, if that is within the limits,
and no longer, since it gets no updates meanwhile. `kill` has to follow at once: from the agent's answer on HAProxy gets no updates. Ends with the container: `kill` makes HAProxy's master finish its connections and exit, and the last sleep with it.
*/}}
{{- define "haptic.drainCommand" -}}
{{- $haproxy := .Values.haproxy -}}
{{- $least := include "haptic.seconds" (list "haproxy.drain.minWait" $haproxy.drain.minWait) -}}
{{- $drain := printf "sleep %s & haptic agent drain; wait" $least -}}
{{- if $haproxy.image.repository -}}
{{- $most := include "haptic.seconds" (list "haproxy.drain.maxWait" $haproxy.drain.maxWait) -}}
{{- $drain = printf "sleep %d" (max (int $least) (min 20 (int $most))) -}}
{{- end -}}
{{- printf "%s; kill -USR1 1; sleep %d" $drain (int $haproxy.terminationGracePeriodSeconds) -}}
{{- end -}}

{{/* (list NAME TEXT): whole seconds of a duration, no fewer. */}}
{{- define "haptic.seconds" -}}
{{- div (add (include "haptic.milliseconds" . | int64) 999) 1000 -}}
{{- end -}}

{{- define "haptic.haproxyServiceAccountName" -}}
{{- if .Values.haproxy.serviceAccount.create -}}
{{- .Values.haproxy.serviceAccount.name | default (include "haptic.name" (list . "haproxy")) -}}
{{- else -}}
{{- .Values.haproxy.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}
