/** The other kinds of the core group. In the notation of `parseSchemaTable`. */
export const coreSchemas = `
core.Namespace # A scope for names.
  1 metadata meta.ObjectMeta
  2 spec core.NamespaceSpec
  3 status core.NamespaceStatus
core.NamespaceSpec
  1 finalizers string[] # What keeps a deleted namespace until its content is gone.
core.NamespaceStatus
  1 phase string # Active or Terminating.
  2 conditions core.NamespaceCondition[type] patch=merge key=type
core.NamespaceCondition
  1 type! string
  2 status! string
  4 lastTransitionTime time
  5 reason string
  6 message string
core.Service # A stable name and address for a set of pods.
  1 metadata meta.ObjectMeta
  2 spec core.ServiceSpec # The desired state.
  3 status core.ServiceStatus # The current state.
core.ServiceSpec # Ports, and the pods behind them.
  1 ports! core.ServicePort[port,protocol] patch=merge key=port # Ports the Service offers.
  2 selector string{} atomic # Labels of the pods behind the Service. Without it, somebody else keeps its endpoints.
  3 clusterIP string # Address inside the cluster; None makes the Service headless.
  18 clusterIPs string[]
  4 type string # ClusterIP, NodePort, LoadBalancer or ExternalName.
  5 externalIPs string[]
  7 sessionAffinity string
  8 loadBalancerIP string
  9 loadBalancerSourceRanges string[]
  10 externalName string # Name that an ExternalName Service stands for.
  11 externalTrafficPolicy string
  12 healthCheckNodePort int32
  13 publishNotReadyAddresses bool # Endpoints count as ready even when they are not.
  14 sessionAffinityConfig core.SessionAffinityConfig
  19 ipFamilies string[]
  17 ipFamilyPolicy string?
  20 allocateLoadBalancerNodePorts bool?
  21 loadBalancerClass string?
  22 internalTrafficPolicy string?
  23 trafficDistribution string?
core.ServicePort
  1 name string # Name of the port; needed when there are several.
  2 protocol string default=TCP # TCP, UDP or SCTP.
  6 appProtocol string? # What is spoken on the port, e.g. kubernetes.io/h2c.
  3 port! int32 # Port the Service listens on.
  4 targetPort intOrString # Port of the pods, by number or by name.
  5 nodePort int32 # Port on every node, for NodePort and LoadBalancer.
core.SessionAffinityConfig
  1 clientIP core.ClientIPConfig
core.ClientIPConfig
  1 timeoutSeconds int32?
core.ServiceStatus
  1 loadBalancer core.LoadBalancerStatus
  2 conditions meta.Condition[type] patch=merge key=type
core.LoadBalancerStatus
  1 ingress core.LoadBalancerIngress[]
core.LoadBalancerIngress
  1 ip string
  2 hostname string
  3 ipMode string?
  4 ports core.PortStatus[]
core.PortStatus
  1 port! int32
  2 protocol! string
  3 error string?
core.Endpoints # All endpoints of a Service in one object; EndpointSlices have taken its place.
  1 metadata meta.ObjectMeta
  2 subsets core.EndpointSubset[]
core.EndpointSubset
  1 addresses core.EndpointAddress[]
  2 notReadyAddresses core.EndpointAddress[]
  3 ports core.EndpointPort[]
core.EndpointAddress
  1 ip! string
  3 hostname string
  4 nodeName string?
  2 targetRef core.ObjectReference
core.ObjectReference atomic
  1 kind string
  2 namespace string
  3 name string
  4 uid string
  5 apiVersion string
  6 resourceVersion string
  7 fieldPath string
core.EndpointPort
  1 name string # Name of the port; matches the Service's.
  2 port! int32 # Number of the port; absent means all ports.
  3 protocol string # TCP, UDP or SCTP.
  4 appProtocol string?
core.Secret # Small confidential data.
  1 metadata meta.ObjectMeta
  5 immutable bool? # The data cannot be changed any more.
  2 data bytes{} # Keys and values, base64.
  4 stringData string{} # Values as plain text, written into data; never read back.
  3 type string # What the secret is for, e.g. kubernetes.io/tls.
core.ConfigMap # Small configuration data.
  1 metadata meta.ObjectMeta
  4 immutable bool? # The data cannot be changed any more.
  2 data string{} # Keys and values, text.
  3 binaryData bytes{} # Keys and values, base64.
core.Node # A machine that pods run on.
  1 metadata meta.ObjectMeta
  2 spec core.NodeSpec
  3 status core.NodeStatus
core.NodeSpec
  1 podCIDR string
  7 podCIDRs string[set] patch=merge
  3 providerID string
  4 unschedulable bool
  5 taints core.Taint[]
  6 configSource any
  2 externalID string
core.Taint
  1 key! string
  2 value string
  3 effect! string
  4 timeAdded time
core.NodeStatus
  1 capacity quantity{}
  2 allocatable quantity{}
  3 phase string
  4 conditions core.NodeCondition[type] patch=merge key=type
  5 addresses core.NodeAddress[type] patch=merge key=type
  6 daemonEndpoints core.NodeDaemonEndpoints
  7 nodeInfo core.NodeSystemInfo
  8 images core.ContainerImage[]
  9 volumesInUse string[]
  10 volumesAttached core.AttachedVolume[]
  11 config any
  12 runtimeHandlers any[]
  13 features any
core.NodeCondition
  1 type! string
  2 status! string
  3 lastHeartbeatTime time
  4 lastTransitionTime time
  5 reason string
  6 message string
core.NodeAddress
  1 type! string
  2 address! string
core.NodeDaemonEndpoints
  1 kubeletEndpoint core.DaemonEndpoint
core.DaemonEndpoint
  1 Port! int32
core.NodeSystemInfo
  1 machineID! string
  2 systemUUID! string
  3 bootID! string
  4 kernelVersion! string
  5 osImage! string
  6 containerRuntimeVersion! string
  7 kubeletVersion! string
  8 kubeProxyVersion! string
  9 operatingSystem! string
  10 architecture! string
core.ContainerImage
  1 names string[]
  2 sizeBytes int64
core.AttachedVolume
  1 name! string
  2 devicePath! string
core.ServiceAccount # An identity for pods.
  1 metadata meta.ObjectMeta
  2 secrets core.ObjectReference[name] patch=merge key=name
  3 imagePullSecrets core.LocalObjectReference[]
  4 automountServiceAccountToken bool?
core.Event # Something that happened to an object.
  1 metadata! meta.ObjectMeta
  2 involvedObject! core.ObjectReference # The object it happened to.
  3 reason string # What happened, as a CamelCase word.
  4 message string # What happened, for people.
  5 source core.EventSource
  6 firstTimestamp time
  7 lastTimestamp time
  8 count int32 # How often it was seen.
  9 type string # Normal or Warning.
  10 eventTime microtime # When it was seen first.
  11 series core.EventSeries # How often it was seen since.
  12 action string # What was done.
  13 related core.ObjectReference
  14 reportingComponent string # Who reports it.
  15 reportingInstance string
core.EventSource
  1 component string
  2 host string
core.EventSeries
  1 count int32
  2 lastObservedTime microtime
core.TypedLocalObjectReference atomic
  1 apiGroup string?
  2 kind! string
  3 name! string
`;
