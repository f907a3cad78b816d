{{/*
Rules for what is watched, as JSON: {"cluster": RULES, "namespaces": {NAMESPACE: RULES}, "byNamespace": BOOLEAN}. Objects on demand are also read one by one.
*/}}
{{- define "haptic.watchRules" -}}
{{- $cluster := dict -}}
{{- $namespaces := dict -}}
{{- $selects := false -}}
{{- range $name, $entry := fromJson (include "haptic.watchedResources" .) -}}
{{- if $entry.namespaceSelector -}}{{- $selects = true -}}{{- end -}}
{{- $verbs := "list,watch" -}}
{{- if eq ($entry.store | default "full") "on-demand" -}}{{- $verbs = "get,list,watch" -}}{{- end -}}
{{- $versions := $entry.apiVersions | default (list $entry.apiVersion) -}}
{{- range $version := $versions -}}
{{- $group := "" -}}
{{- if contains "/" (toString $version) -}}{{- $group = splitList "/" $version | first -}}{{- end -}}
{{- $key := printf "%s|%s" $group $verbs -}}
{{- if $entry.namespaces -}}
{{- range $namespace := $entry.namespaces -}}
{{- $rules := get $namespaces $namespace | default dict -}}
{{- $_ := set $rules $key (append (get $rules $key | default list) $entry.resources | uniq | sortAlpha) -}}
{{- $_ := set $namespaces $namespace $rules -}}
{{- end -}}
{{- else -}}
{{- $_ := set $cluster $key (append (get $cluster $key | default list) $entry.resources | uniq | sortAlpha) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "cluster" $cluster "namespaces" $namespaces "selectsNamespaces" $selects) -}}
{{- end -}}

{{/* Rules as YAML of what "haptic.watchRules" has for one place. */}}
{{- define "haptic.rulesOf" -}}
{{- range $key, $resources := . }}
- apiGroups: [{{ splitList "|" $key | first | quote }}]
  resources: {{ toJson $resources }}
  verbs: {{ splitList "|" $key | last | splitList "," | toJson }}
{{- end }}
{{- end -}}

{{/* Kinds whose status the enabled libraries write, as JSON: [{apiGroups, resources}]. */}}
{{- define "haptic.statusRules" -}}
{{- $rules := list -}}
{{- $libraries := fromJsonArray (include "haptic.libraries" .) -}}
{{- if has "ingress" $libraries -}}
{{- $rules = append $rules (dict "apiGroups" (list "networking.k8s.io") "resources" (list "ingresses/status")) -}}
{{- end -}}
{{- range .Values.rbac.statuses -}}
{{- $resources := list -}}
{{- range .resources -}}{{- $resources = append $resources (printf "%s/status" (trimSuffix "/status" .)) -}}{{- end -}}
{{- $rules = append $rules (dict "apiGroups" .apiGroups "resources" $resources) -}}
{{- end -}}
{{- toJson $rules -}}
{{- end -}}
