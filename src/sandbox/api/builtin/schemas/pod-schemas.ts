/** Pods: specification and status. In the notation of `parseSchemaTable`. */
export const podSchemas = `
core.Pod # Containers that run together on one node.
  1 metadata meta.ObjectMeta
  2 spec core.PodSpec # The desired state.
  3 status core.PodStatus # The current state.
core.PodTemplateSpec # The pods that a workload makes.
  1 metadata meta.ObjectMeta
  2 spec core.PodSpec
core.PodSpec
  1 volumes core.Volume[name] patch=merge,retainKeys key=name # Volumes that the containers may mount.
  20 initContainers! core.Container[name] patch=merge key=name # Containers that run to their end, in order, before the others start.
  2 containers! core.Container[name] patch=merge key=name # The containers; at least one.
  34 ephemeralContainers any[name] patch=merge key=name
  3 restartPolicy string # Always, OnFailure or Never.
  4 terminationGracePeriodSeconds int64? # Time between the signal to end and the kill.
  5 activeDeadlineSeconds int64?
  6 dnsPolicy string
  7 nodeSelector string{} atomic # Labels a node must have.
  8 serviceAccountName string # ServiceAccount the pod runs as.
  9 serviceAccount string
  21 automountServiceAccountToken bool?
  10 nodeName string # Node the pod runs on.
  11 hostNetwork bool # Use the node's network.
  12 hostPID bool
  13 hostIPC bool
  27 shareProcessNamespace bool?
  14 securityContext core.PodSecurityContext
  15 imagePullSecrets core.LocalObjectReference[name] patch=merge key=name
  16 hostname string
  17 subdomain string
  18 affinity core.Affinity
  19 schedulerName string
  22 tolerations core.Toleration[]
  23 hostAliases core.HostAlias[ip] patch=merge key=ip
  24 priorityClassName string
  25 priority int32?
  26 dnsConfig core.PodDNSConfig
  28 readinessGates core.PodReadinessGate[]
  29 runtimeClassName string?
  30 enableServiceLinks bool?
  31 preemptionPolicy string?
  32 overhead quantity{}
  33 topologySpreadConstraints core.TopologySpreadConstraint[topologyKey,whenUnsatisfiable] patch=merge key=topologyKey
  35 setHostnameAsFQDN bool?
  36 os core.PodOS
  37 hostUsers bool?
  38 schedulingGates core.PodSchedulingGate[name] patch=merge key=name
  39 resourceClaims core.PodResourceClaim[name] patch=merge,retainKeys key=name
  40 resources core.ResourceRequirements
core.PodSecurityContext
  1 seLinuxOptions core.SELinuxOptions
  8 windowsOptions any
  2 runAsUser int64?
  6 runAsGroup int64?
  3 runAsNonRoot bool?
  4 supplementalGroups int64[]
  12 supplementalGroupsPolicy string?
  5 fsGroup int64?
  7 sysctls core.Sysctl[]
  9 fsGroupChangePolicy string?
  10 seccompProfile core.SeccompProfile
  11 appArmorProfile core.AppArmorProfile
  13 seLinuxChangePolicy string?
core.Sysctl
  1 name! string
  2 value! string
core.Affinity
  1 nodeAffinity core.NodeAffinity
  2 podAffinity core.PodAffinity
  3 podAntiAffinity core.PodAntiAffinity
core.NodeAffinity
  1 requiredDuringSchedulingIgnoredDuringExecution core.NodeSelector
  2 preferredDuringSchedulingIgnoredDuringExecution core.PreferredSchedulingTerm[]
core.NodeSelector atomic
  1 nodeSelectorTerms! core.NodeSelectorTerm[]
core.NodeSelectorTerm atomic
  1 matchExpressions core.NodeSelectorRequirement[]
  2 matchFields core.NodeSelectorRequirement[]
core.NodeSelectorRequirement
  1 key! string
  2 operator! string
  3 values string[]
core.PreferredSchedulingTerm
  1 weight! int32
  2 preference! core.NodeSelectorTerm
core.PodAffinity
  1 requiredDuringSchedulingIgnoredDuringExecution core.PodAffinityTerm[]
  2 preferredDuringSchedulingIgnoredDuringExecution core.WeightedPodAffinityTerm[]
core.PodAffinityTerm
  1 labelSelector meta.LabelSelector
  2 namespaces string[]
  3 topologyKey! string
  4 namespaceSelector meta.LabelSelector
  5 matchLabelKeys string[]
  6 mismatchLabelKeys string[]
core.WeightedPodAffinityTerm
  1 weight! int32
  2 podAffinityTerm! core.PodAffinityTerm
core.PodAntiAffinity
  1 requiredDuringSchedulingIgnoredDuringExecution core.PodAffinityTerm[]
  2 preferredDuringSchedulingIgnoredDuringExecution core.WeightedPodAffinityTerm[]
core.Toleration
  1 key string
  2 operator string
  3 value string
  4 effect string
  5 tolerationSeconds int64?
core.HostAlias
  1 ip! string
  2 hostnames string[]
core.PodDNSConfig
  1 nameservers string[]
  2 searches string[]
  3 options core.PodDNSConfigOption[]
core.PodDNSConfigOption
  1 name string
  2 value string?
core.PodReadinessGate
  1 conditionType! string
core.TopologySpreadConstraint
  1 maxSkew! int32
  2 topologyKey! string
  3 whenUnsatisfiable! string
  4 labelSelector meta.LabelSelector
  5 minDomains int32?
  6 nodeAffinityPolicy string?
  7 nodeTaintsPolicy string?
  8 matchLabelKeys string[]
core.PodOS
  1 name! string
core.PodSchedulingGate
  1 name! string
core.PodResourceClaim
  1 name! string
  3 resourceClaimName string?
  4 resourceClaimTemplateName string?
core.PodStatus
  1 phase string
  2 conditions core.PodCondition[type] patch=merge key=type
  3 message string
  4 reason string
  11 nominatedNodeName string
  5 hostIP string
  16 hostIPs core.HostIP[] patch=merge key=ip
  6 podIP string
  12 podIPs core.PodIP[ip] patch=merge key=ip
  7 startTime time
  10 initContainerStatuses core.ContainerStatus[]
  8 containerStatuses core.ContainerStatus[]
  9 qosClass string
  13 ephemeralContainerStatuses core.ContainerStatus[]
  14 resize string
  15 resourceClaimStatuses core.PodResourceClaimStatus[name] patch=merge,retainKeys key=name
core.PodCondition
  1 type! string
  2 status! string
  3 lastProbeTime time
  4 lastTransitionTime time
  5 reason string
  6 message string
core.HostIP
  1 ip! string
core.PodIP
  1 ip! string
core.ContainerStatus
  1 name! string
  2 state core.ContainerState
  3 lastState core.ContainerState
  4 ready! bool
  5 restartCount! int32
  6 image! string
  7 imageID! string
  8 containerID string
  9 started bool?
  10 allocatedResources quantity{}
  11 resources core.ResourceRequirements
  12 volumeMounts any[mountPath] patch=merge key=mountPath
  13 user any
  14 allocatedResourcesStatus any[name] patch=merge key=name
core.ContainerState
  1 waiting core.ContainerStateWaiting
  2 running core.ContainerStateRunning
  3 terminated core.ContainerStateTerminated
core.ContainerStateWaiting
  1 reason string
  2 message string
core.ContainerStateRunning
  1 startedAt time
core.ContainerStateTerminated
  1 exitCode! int32
  2 signal int32
  3 reason string
  4 message string
  5 startedAt time
  6 finishedAt time
  7 containerID string
core.PodResourceClaimStatus
  1 name! string
  2 resourceClaimName string?
`;
