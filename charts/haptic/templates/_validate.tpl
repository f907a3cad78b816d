{{/* Values that cannot work end here, each with a sentence that says what to change. What one value alone can tell is said by values.schema.json. */}}
{{- define "haptic.validate" -}}
{{- $name := include "haptic.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "%s cannot begin the names of Services, which are of letters, digits and hyphens and begin with a letter: set fullnameOverride, or take another name for the release" $name) -}}
{{- end -}}
{{- include "haptic.validatePorts" . -}}
{{- include "haptic.validateTimes" . -}}
{{- include "haptic.validateController" . -}}
{{- include "haptic.validateHaproxy" . -}}
{{- include "haptic.validateCertificates" . -}}
{{- include "haptic.validateApis" . -}}
{{- end -}}

{{/* (list WHERE (list NAME PORT) ...): no port twice. */}}
{{- define "haptic.distinct" -}}
{{- $seen := dict -}}
{{- $where := first . -}}
{{- range rest . -}}
{{- $name := index . 0 -}}
{{- $port := toString (index . 1) -}}
{{- if and (ne $port "") (ne $port "0") (ne $port "<nil>") -}}
{{- with get $seen $port -}}
{{- fail (printf "%s and %s are both %s: on %s there is one of each, change one of them" . $name $port $where) -}}
{{- end -}}
{{- $_ := set $seen $port $name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "haptic.validatePorts" -}}
{{- $haproxy := .Values.haproxy -}}
{{- $ports := list "a HAProxy pod" (list "haproxy.ports.http" $haproxy.ports.http) (list "haproxy.ports.stats" $haproxy.ports.stats) (list "haproxy.ports.agent" $haproxy.ports.agent) (list "haproxy.ports.agentMetrics" $haproxy.ports.agentMetrics) -}}
{{- if (include "haptic.https" $) -}}{{- $ports = append $ports (list "haproxy.ports.https" $haproxy.ports.https) -}}{{- end -}}
{{- range $index, $port := $haproxy.extraPorts -}}
{{- if ne ($port.protocol | default "TCP") "UDP" -}}{{- $ports = append $ports (list (printf "haproxy.extraPorts[%d]" $index) $port.containerPort) -}}{{- end -}}
{{- end -}}
{{- include "haptic.distinct" $ports -}}
{{- $controller := .Values.controller.ports -}}
{{- include "haptic.distinct" (list "a controller pod" (list "controller.ports.healthz" $controller.healthz) (list "controller.ports.metrics" $controller.metrics) (list "controller.ports.webhook" $controller.webhook)) -}}
{{- $service := $haproxy.service -}}
{{- $servicePorts := list "the Service of HAProxy" (list "haproxy.service.http.port" $service.http.port) -}}
{{- $nodePorts := list "a node" (list "haproxy.service.http.nodePort" $service.http.nodePort) -}}
{{- if (include "haptic.https" $) -}}
{{- $servicePorts = append $servicePorts (list "haproxy.service.https.port" $service.https.port) -}}
{{- $nodePorts = append $nodePorts (list "haproxy.service.https.nodePort" $service.https.nodePort) -}}
{{- end -}}
{{- if $service.stats.enabled -}}
{{- $servicePorts = append $servicePorts (list "haproxy.service.stats.port" $service.stats.port) -}}
{{- $nodePorts = append $nodePorts (list "haproxy.service.stats.nodePort" $service.stats.nodePort) -}}
{{- end -}}
{{- include "haptic.distinct" $servicePorts -}}
{{- include "haptic.distinct" $nodePorts -}}
{{- if and $haproxy.hostPorts.enabled (include "haptic.https" $) -}}
{{- include "haptic.distinct" (list "a node" (list "haproxy.hostPorts.http" $haproxy.hostPorts.http) (list "haproxy.hostPorts.https" $haproxy.hostPorts.https)) -}}
{{- end -}}
{{- if $haproxy.hostNetwork -}}
{{- with fromJsonArray (include "haptic.lowPorts" (include "haptic.haproxyPorts" $ | fromJson)) -}}
{{- fail (printf "%s is below 1024, which nobody but root may listen on in a node's network: take one above 1023, or haproxy.hostPorts.enabled in place of haproxy.hostNetwork" (first .)) -}}
{{- end -}}
{{- if $haproxy.hostPorts.enabled -}}
{{- fail "haproxy.hostNetwork and haproxy.hostPorts.enabled are both true: a pod in the node's network has the node's ports already, set one of them to false" -}}
{{- end -}}
{{- end -}}
{{- if and $haproxy.enabled $haproxy.sharedLimits.enabled -}}
{{- if not $haproxy.networkPolicy.enabled -}}
{{- fail "haproxy.sharedLimits.enabled needs haproxy.networkPolicy.enabled: pods believe whoever reaches their port" -}}
{{- end -}}
{{- if $haproxy.hostNetwork -}}
{{- fail "haproxy.sharedLimits.enabled and haproxy.hostNetwork are both true: no policy guards a port of the node, set one of them to false" -}}
{{- end -}}
{{- end -}}
{{- $port := dig "dataplane" "port" 0 .Values.controller.config -}}
{{- if and $haproxy.enabled (ne (int $port) 0) (ne (int $port) (int $haproxy.ports.agent)) -}}
{{- fail (printf "controller.config.dataplane.port is %d, and the agents listen on haproxy.ports.agent, %d: leave the first one out" (int $port) (int $haproxy.ports.agent)) -}}
{{- end -}}
{{- end -}}

{{/* (list NAME TEXT MOST): a duration, MOST milliseconds at most. */}}
{{- define "haptic.atMost" -}}
{{- $milliseconds := include "haptic.milliseconds" . | int64 -}}
{{- if gt $milliseconds (int64 (index . 2)) -}}
{{- fail (printf "%s: %s is too long, %s at most" (index . 0) (index . 1) (index . 3)) -}}
{{- end -}}
{{- end -}}

{{- define "haptic.validateTimes" -}}
{{- $agent := .Values.agent -}}
{{- $drain := .Values.haproxy.drain -}}
{{- include "haptic.atMost" (list "agent.reloadIntervalMin" $agent.reloadIntervalMin 60000 "60s") -}}
{{- include "haptic.atMost" (list "agent.reloadTimeout" $agent.reloadTimeout 60000 "60s") -}}
{{- if eq (include "haptic.milliseconds" (list "agent.reloadTimeout" $agent.reloadTimeout)) "0" -}}
{{- fail "agent.reloadTimeout is 0: a reload needs time, 60s at most" -}}
{{- end -}}
{{- include "haptic.atMost" (list "agent.serverDrainTimeout" $agent.serverDrainTimeout 86400000 "24h") -}}
{{- include "haptic.atMost" (list "haproxy.drain.quietPeriod" $drain.quietPeriod 300000 "5m") -}}
{{- include "haptic.atMost" (list "haproxy.drain.maxWait" $drain.maxWait 300000 "5m") -}}
{{- $wait := include "haptic.milliseconds" (list "haproxy.drain.maxWait" $drain.maxWait) | int64 -}}
{{- if gt (include "haptic.milliseconds" (list "haproxy.drain.quietPeriod" $drain.quietPeriod) | int64) $wait -}}
{{- fail (printf "haproxy.drain.quietPeriod (%s) is longer than haproxy.drain.maxWait (%s): no pod would ever count as quiet" $drain.quietPeriod $drain.maxWait) -}}
{{- end -}}
{{- if gt (include "haptic.milliseconds" (list "haproxy.drain.minWait" $drain.minWait) | int64) $wait -}}
{{- fail (printf "haproxy.drain.minWait (%s) is longer than haproxy.drain.maxWait (%s): raise the second" $drain.minWait $drain.maxWait) -}}
{{- end -}}
{{- if ge (add $wait 5000) (mul (int64 .Values.haproxy.terminationGracePeriodSeconds) 1000) -}}
{{- fail (printf "haproxy.terminationGracePeriodSeconds (%d) leaves less than 5s after haproxy.drain.maxWait (%s): connections would be cut, raise the first or lower the second" (int .Values.haproxy.terminationGracePeriodSeconds) $drain.maxWait) -}}
{{- end -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) 10 -}}
{{- fail (printf "terminationGracePeriodSeconds (%d) is too short for a controller to give its Lease back: 10 at least" (int .Values.terminationGracePeriodSeconds)) -}}
{{- end -}}
{{- $_ := include "haptic.milliseconds" (list "haproxy.hardStopAfter" .Values.haproxy.hardStopAfter) -}}
{{- end -}}

{{- define "haptic.validateController" -}}
{{- $config := .Values.controller.config -}}
{{- $_ := include "haptic.serviceAccountName" . -}}
{{- if eq (dig "controller" "leaderElection" "enabled" true $config) false -}}
{{- if gt (int .Values.replicaCount) 1 -}}
{{- fail (printf "replicaCount is %d and controller.config.controller.leaderElection.enabled is false: all would write; set replicaCount to 1, or let them elect" (int .Values.replicaCount)) -}}
{{- end -}}
{{- if ne .Values.updateStrategy.type "Recreate" -}}
{{- fail "without controller.config.controller.leaderElection.enabled there must never be two controllers: set updateStrategy to {type: Recreate, rollingUpdate: null}" -}}
{{- end -}}
{{- end -}}
{{- if and (not (fromJsonArray (include "haptic.libraries" .))) (not $config.libraryRefs) (not $config.haproxyConfig) -}}
{{- fail "no library is enabled and controller.config.haproxyConfig is empty: there is nothing to make a configuration of; enable controller.templateLibraries.base" -}}
{{- end -}}
{{- range .Values.controller.libraryOrder -}}
{{- if not (hasKey $.Values.controller.templateLibraries .) -}}
{{- fail (printf "controller.libraryOrder names %s, which is not among controller.templateLibraries" .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $entry := fromJson (include "haptic.watchedResources" .) -}}
{{- if not (or $entry.apiVersion $entry.apiVersions) -}}
{{- fail (printf "controller.config.watchedResources.%s has neither apiVersion nor apiVersions, and no library has such an entry" $name) -}}
{{- end -}}
{{- if not $entry.resources -}}
{{- fail (printf "controller.config.watchedResources.%s has no resources: the plural name of the kind, such as ingresses" $name) -}}
{{- end -}}
{{- if and $entry.namespaces $entry.namespaceSelector -}}
{{- fail (printf "controller.config.watchedResources.%s has namespaces and namespaceSelector: leave one out" $name) -}}
{{- end -}}
{{- end -}}
{{- include "haptic.validateNamespaces" . -}}
{{- if and (not .Values.rbac.create) .Values.serviceAccount.create (not .Values.serviceAccount.name) -}}
{{- fail "rbac.create is false and nothing names the service account: set serviceAccount.name to the one whose rights you have given" -}}
{{- end -}}
{{- include "haptic.validateBudget" (list "podDisruptionBudget" .Values.podDisruptionBudget (int .Values.replicaCount)) -}}
{{- end -}}

{{/* What this chart makes in the release's namespace has to be seen there. */}}
{{- define "haptic.validateNamespaces" -}}
{{- $watched := fromJson (include "haptic.watchedResources" .) -}}
{{- $config := fromJson (include "haptic.config" .) -}}
{{- $needed := dict -}}
{{- if dig "controller" "publishService" "name" "" $config -}}{{- $_ := set $needed "services" "the Service whose address is published" -}}{{- end -}}
{{- if and (include "haptic.selfSignedSecret" .) (eq .Values.agentTls.mode "managed") -}}{{- $_ := set $needed "secrets" "the self-signed certificate" -}}{{- end -}}
{{- range $name, $what := $needed -}}
{{- $namespaces := dig $name "namespaces" list $watched -}}
{{- if and $namespaces (not (has $.Release.Namespace $namespaces)) -}}
{{- fail (printf "controller.config.watchedResources.%s.namespaces has not %s, where %s is: add it" $name $.Release.Namespace $what) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* (list NAME BUDGET REPLICAS) */}}
{{- define "haptic.validateBudget" -}}
{{- $name := index . 0 -}}
{{- $budget := index . 1 -}}
{{- $replicas := index . 2 -}}
{{- if and $budget.enabled (gt $replicas 1) -}}
{{- if has (toString $budget.maxUnavailable) (list "0" "0%") -}}
{{- fail (printf "%s.maxUnavailable is 0: no node with such a pod could ever be emptied" $name) -}}
{{- end -}}
{{- if and (eq (toString $budget.maxUnavailable) "") (eq (toString $budget.minAvailable) "100%") -}}
{{- fail (printf "%s.minAvailable is 100%%: no node with such a pod could ever be emptied; lower it" $name) -}}
{{- end -}}
{{- if and (eq (toString $budget.maxUnavailable) "") (regexMatch "^[0-9]+$" (toString $budget.minAvailable)) (ge (int $budget.minAvailable) $replicas) -}}
{{- fail (printf "%s.minAvailable is %d of %d pods: no node with such a pod could ever be emptied; lower it" $name (int $budget.minAvailable) $replicas) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "haptic.validateHaproxy" -}}
{{- $haproxy := .Values.haproxy -}}
{{- if $haproxy.enabled -}}
{{- $_ := include "haptic.haproxyImage" . -}}
{{- $labels := fromYaml (include "haptic.podLabels" (list . "haproxy" $haproxy.podLabels)) -}}
{{- range $key, $value := dig "podSelector" "matchLabels" dict .Values.controller.config -}}
{{- if ne (get $labels $key | toString) (toString $value) -}}
{{- fail (printf "controller.config.podSelector.matchLabels has %s: %s, which the HAProxy pods of this chart have not: leave it out, or add it to haproxy.podLabels" $key (toString $value)) -}}
{{- end -}}
{{- end -}}
{{- if and $haproxy.quic.enabled (not (include "haptic.https" .)) -}}
{{- fail "haproxy.quic.enabled: HTTP/3 goes with HTTPS, which is off; set haproxy.https.enabled, or enable controller.templateLibraries.ssl" -}}
{{- end -}}
{{- include "haptic.validateMemory" . -}}
{{- $onNode := or $haproxy.hostPorts.enabled $haproxy.hostNetwork -}}
{{- $surge := dig "rollingUpdate" "maxSurge" "25%" $haproxy.updateStrategy | toString -}}
{{- if and $onNode (eq $haproxy.kind "Deployment") (ne $haproxy.updateStrategy.type "Recreate") (not (has $surge (list "0" "0%"))) -}}
{{- fail (printf "two HAProxy pods cannot have the same port of a node, and haproxy.updateStrategy starts new ones beside the former (maxSurge %s): set haproxy.updateStrategy.rollingUpdate to {maxSurge: 0, maxUnavailable: 1}, or haproxy.kind to DaemonSet" $surge) -}}
{{- end -}}
{{- $daemonSurge := dig "rollingUpdate" "maxSurge" 0 $haproxy.daemonSetUpdateStrategy | toString -}}
{{- if and $onNode (eq $haproxy.kind "DaemonSet") (not (has $daemonSurge (list "0" "0%"))) -}}
{{- fail (printf "two HAProxy pods cannot have the same port of a node: leave maxSurge (%s) out of haproxy.daemonSetUpdateStrategy" $daemonSurge) -}}
{{- end -}}
{{- if and $haproxy.autoscaling.enabled $haproxy.keda.enabled -}}
{{- fail "haproxy.autoscaling.enabled and haproxy.keda.enabled are both true: one of them can set the number of pods" -}}
{{- end -}}
{{- range $name := list "autoscaling" "keda" -}}
{{- $scaling := get $haproxy $name -}}
{{- if $scaling.enabled -}}
{{- if eq $haproxy.kind "DaemonSet" -}}
{{- fail (printf "haproxy.%s.enabled: a DaemonSet has as many pods as there are nodes, set haproxy.kind to Deployment" $name) -}}
{{- end -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "haproxy.%s.minReplicas (%d) is above maxReplicas (%d)" $name (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $haproxy.autoscaling.enabled (not (or $haproxy.autoscaling.targetCPUUtilizationPercentage $haproxy.autoscaling.targetMemoryUtilizationPercentage $haproxy.autoscaling.metrics)) -}}
{{- fail "haproxy.autoscaling.enabled needs something to go by: targetCPUUtilizationPercentage, targetMemoryUtilizationPercentage or metrics" -}}
{{- end -}}
{{- range $resource, $value := dict "cpu" "targetCPUUtilizationPercentage" "memory" "targetMemoryUtilizationPercentage" -}}
{{- if and $haproxy.autoscaling.enabled (get $haproxy.autoscaling $value) (not (dig "requests" $resource "" $haproxy.resources)) -}}
{{- fail (printf "haproxy.autoscaling.%s is a share of what is requested: set haproxy.resources.requests.%s" $value $resource) -}}
{{- end -}}
{{- end -}}
{{- if and $haproxy.keda.enabled (not $haproxy.keda.triggers) -}}
{{- fail "haproxy.keda.enabled needs something to go by: haproxy.keda.triggers" -}}
{{- end -}}
{{- if eq $haproxy.kind "Deployment" -}}
{{- include "haptic.validateBudget" (list "haproxy.podDisruptionBudget" $haproxy.podDisruptionBudget (include "haptic.haproxyReplicas" . | int)) -}}
{{- end -}}
{{- if and $haproxy.networkPolicy.enabled (not $haproxy.networkPolicy.allowExternal) (not $haproxy.networkPolicy.allowedSources) -}}
{{- fail "haproxy.networkPolicy.allowExternal is false and haproxy.networkPolicy.allowedSources is empty: nobody could get in; name the sources" -}}
{{- end -}}
{{- $service := $haproxy.service -}}
{{- if and $service.loadBalancerSourceRanges (ne $service.type "LoadBalancer") -}}
{{- fail (printf "haproxy.service.loadBalancerSourceRanges does nothing with type %s: take haproxy.networkPolicy.allowedSources, or type LoadBalancer" $service.type) -}}
{{- end -}}
{{- if and $service.healthCheckNodePort (ne $service.externalTrafficPolicy "Local") -}}
{{- fail "haproxy.service.healthCheckNodePort is only there with externalTrafficPolicy: Local" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "haptic.validateMemory" -}}
{{- $memory := include "haptic.haproxyMemory" . -}}
{{- $limit := dig "limits" "memory" "" (.Values.haproxy.resources | default dict) -}}
{{- if $memory -}}
{{- if lt (int64 $memory) 96 -}}
{{- fail (printf "%d MiB are too little for a HAProxy: raise haproxy.resources.limits.memory (%s) to 128Mi at least" (int64 $memory) (toString $limit)) -}}
{{- end -}}
{{- if and $limit (ge (int64 $memory) (div (include "haptic.bytes" $limit | int64) 1048576)) -}}
{{- fail (printf "haproxy.memoryLimitMiB (%d) is no less than haproxy.resources.limits.memory (%s): HAProxy would be killed before it keeps to it" (int64 $memory) (toString $limit)) -}}
{{- end -}}
{{- if gt (int (.Values.haproxy.nbthread | default 0)) (include "haptic.threadLimit" . | int) -}}
{{- fail (printf "haproxy.nbthread (%d) threads take more than the %d MiB that HAProxy has: raise haproxy.resources.limits.memory, or lower it to %s" (int .Values.haproxy.nbthread) (int64 $memory) (include "haptic.threadLimit" .)) -}}
{{- end -}}
{{- if gt (int64 (.Values.haproxy.maxconn | default 0)) (mul (int64 $memory) 30) -}}
{{- fail (printf "haproxy.maxconn (%d) connections take more than the %d MiB that HAProxy has: raise haproxy.resources.limits.memory, or lower it to %d" (int64 .Values.haproxy.maxconn) (int64 $memory) (mul (int64 $memory) 16)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "haptic.validateCertificates" -}}
{{- $tls := .Values.agentTls -}}
{{- if eq $tls.mode "existing" -}}
{{- if not (and $tls.existing.agentSecret $tls.existing.controllerSecret) -}}
{{- fail "agentTls.mode is existing: name the Secrets, agentTls.existing.agentSecret and agentTls.existing.controllerSecret" -}}
{{- end -}}
{{- else if or $tls.existing.agentSecret $tls.existing.controllerSecret -}}
{{- fail (printf "agentTls.existing names Secrets, and agentTls.mode is %s: set it to existing" $tls.mode) -}}
{{- end -}}
{{- if eq (include "haptic.agentServerName" . | lower) (include "haptic.agentClientName" . | lower) -}}
{{- fail "agentTls.serverName and agentTls.clientName must differ: they tell the two sides apart" -}}
{{- end -}}
{{- if and (eq $tls.mode "certManager") (not $tls.certManager.createIssuer) (not $tls.certManager.issuerRef.name) -}}
{{- fail "agentTls.certManager.createIssuer is false: name the issuer in agentTls.certManager.issuerRef" -}}
{{- end -}}
{{- $webhook := .Values.webhook -}}
{{- if $webhook.enabled -}}
{{- if and (eq $webhook.certificate "existing") (not $webhook.secretName) -}}
{{- fail "webhook.certificate is existing: name the Secret, webhook.secretName" -}}
{{- end -}}
{{- if and (eq $webhook.certificate "certManager") (not $webhook.certManager.createIssuer) (not $webhook.certManager.issuerRef.name) -}}
{{- fail "webhook.certManager.createIssuer is false: name the issuer in webhook.certManager.issuerRef" -}}
{{- end -}}
{{- end -}}
{{- $default := .Values.defaultSSLCertificate -}}
{{- if $default.enabled -}}
{{- if and $default.create $default.certManager.enabled -}}
{{- fail "defaultSSLCertificate.create and defaultSSLCertificate.certManager.enabled are both true: one of them can make the Secret" -}}
{{- end -}}
{{- if and $default.create (not (and (contains "-----BEGIN CERTIFICATE-----" $default.cert) (contains "PRIVATE KEY-----" $default.key))) -}}
{{- fail "defaultSSLCertificate.create needs cert and key, both as PEM" -}}
{{- end -}}
{{- if not (or $default.create $default.certManager.enabled $default.secretName) -}}
{{- fail "defaultSSLCertificate.enabled: nobody makes the Secret; name one that is there (secretName), or set create or certManager.enabled" -}}
{{- end -}}
{{- if and $default.certManager.enabled $default.namespace (ne $default.namespace .Release.Namespace) -}}
{{- fail (printf "defaultSSLCertificate.namespace is %s: cert-manager makes the Secret beside its Certificate, in %s; leave the namespace out" $default.namespace .Release.Namespace) -}}
{{- end -}}
{{- if and $default.certManager.enabled (not $default.certManager.createIssuer) (not $default.certManager.issuerRef.name) -}}
{{- fail "defaultSSLCertificate.certManager.createIssuer is false: name the issuer in defaultSSLCertificate.certManager.issuerRef" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* (list CONTEXT API WHAT): what was asked for needs an API that the cluster has not. */}}
{{- define "haptic.needsApi" -}}
{{- if not ((index . 0).Capabilities.APIVersions.Has (index . 1)) -}}
{{- fail (printf "%s: this cluster does not serve %s; install it first, or turn that off (`helm template` knows of no cluster: --api-versions %s)" (index . 2) (index . 1) (index . 1)) -}}
{{- end -}}
{{- end -}}

{{- define "haptic.validateApis" -}}
{{- $certManager := "cert-manager.io/v1" -}}
{{- if eq .Values.agentTls.mode "certManager" -}}{{- include "haptic.needsApi" (list . $certManager "agentTls.mode is certManager") -}}{{- end -}}
{{- if and .Values.webhook.enabled (eq .Values.webhook.certificate "certManager") -}}{{- include "haptic.needsApi" (list . $certManager "webhook.certificate is certManager") -}}{{- end -}}
{{- if and .Values.defaultSSLCertificate.enabled .Values.defaultSSLCertificate.certManager.enabled -}}{{- include "haptic.needsApi" (list . $certManager "defaultSSLCertificate.certManager.enabled") -}}{{- end -}}
{{- if and .Values.haproxy.enabled .Values.haproxy.keda.enabled -}}{{- include "haptic.needsApi" (list . "keda.sh/v1alpha1" "haproxy.keda.enabled") -}}{{- end -}}
{{- if and .Values.monitoring.podMonitor.enabled .Values.monitoring.serviceMonitor.enabled -}}
{{- fail "monitoring.podMonitor.enabled, monitoring.serviceMonitor.enabled: choose one; with both, every pod is scraped twice, and sums of the dashboard and the alerts count all twice" -}}
{{- end -}}
{{- range $name := list "podMonitor" "serviceMonitor" "prometheusRule" -}}
{{- if (get $.Values.monitoring $name).enabled -}}{{- include "haptic.needsApi" (list $ "monitoring.coreos.com/v1" (printf "monitoring.%s.enabled" $name)) -}}{{- end -}}
{{- end -}}
{{- end -}}
