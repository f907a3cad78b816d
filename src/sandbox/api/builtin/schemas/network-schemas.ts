/** Routing and endpoints: networking.k8s.io and discovery.k8s.io. In the notation of `parseSchemaTable`. */
export const networkSchemas = `
net.Ingress # Rules by which requests from outside reach services. A controller of the Ingress's class puts them in effect.
  1 metadata meta.ObjectMeta
  2 spec net.IngressSpec # The desired state.
  3 status net.IngressStatus # The current state, written by the controller.
net.IngressSpec # What an Ingress routes, and for whom.
  4 ingressClassName string? # Name of the IngressClass that is to serve this Ingress. Without it the default class does.
  1 defaultBackend net.IngressBackend # Where requests go that no rule matches.
  2 tls net.IngressTLS[] # Certificates for hosts. Entries for the same port are told apart by SNI.
  3 rules net.IngressRule[] # Hosts and paths, with where they lead. Without any, all traffic goes to the default backend.
net.IngressBackend # The target of a path: a Service or another resource in the namespace.
  4 service net.IngressServiceBackend # A Service and one of its ports. Excludes resource.
  3 resource core.TypedLocalObjectReference # Another object in the namespace. Excludes service.
net.IngressServiceBackend # A Service and one of its ports.
  1 name! string # Name of the Service in the Ingress's namespace.
  2 port net.ServiceBackendPort # Port of the Service, by name or by number.
net.ServiceBackendPort # A port of a Service: either name or number.
  1 name string # Name of the port. Excludes number.
  2 number int32 # Number of the port (80). Excludes name.
net.IngressTLS # A certificate and the hosts it is for.
  1 hosts string[] # Hosts in the certificate; must match the hosts of the rules.
  2 secretName string # Secret with tls.crt and tls.key.
net.IngressRule # Paths of one host.
  1 host string # Fully qualified domain name without port. One leading label may be a wildcard (*.example.com), which stands for exactly one label. Empty means every host.
  2.1 http net.HTTPIngressRuleValue # The paths of this host.
net.HTTPIngressRuleValue # A list of paths, each with its backend.
  1 paths! net.HTTPIngressPath[] # The paths, of which the longest match wins.
net.HTTPIngressPath # A path and the backend that serves it.
  1 path string # Path to match; begins with / when pathType is Exact or Prefix.
  3 pathType! string? # How path is matched: Exact; Prefix, by whole elements split at /; or ImplementationSpecific, as the class decides.
  2 backend! net.IngressBackend # Where matching requests go.
net.IngressStatus # Where the Ingress can be reached.
  1 loadBalancer net.IngressLoadBalancerStatus
net.IngressLoadBalancerStatus
  1 ingress net.IngressLoadBalancerIngress[]
net.IngressLoadBalancerIngress
  1 ip string # Address of the load balancer.
  2 hostname string # Name of the load balancer.
  4 ports net.IngressPortStatus[]
net.IngressPortStatus
  1 port! int32
  2 protocol! string
  3 error string?
net.IngressClass # A class that Ingresses name, and the controller behind it.
  1 metadata meta.ObjectMeta
  2 spec net.IngressClassSpec
net.IngressClassSpec
  1 controller string # Name of the controller that serves this class, as a domain-prefixed path. Cannot be changed.
  2 parameters net.IngressClassParametersReference # Object with further configuration for the controller.
net.IngressClassParametersReference
  1 apiGroup string?
  2 kind! string
  3 name! string
  4 scope string?
  5 namespace string?
net.NetworkPolicy # Which traffic the selected pods allow.
  1 metadata meta.ObjectMeta
  2 spec net.NetworkPolicySpec
net.NetworkPolicySpec
  1 podSelector! meta.LabelSelector
  2 ingress net.NetworkPolicyIngressRule[]
  3 egress net.NetworkPolicyEgressRule[]
  4 policyTypes string[]
net.NetworkPolicyIngressRule
  1 ports net.NetworkPolicyPort[]
  2 from net.NetworkPolicyPeer[]
net.NetworkPolicyPort
  1 protocol string?
  2 port intOrString
  3 endPort int32?
net.NetworkPolicyPeer
  1 podSelector meta.LabelSelector
  2 namespaceSelector meta.LabelSelector
  3 ipBlock net.IPBlock
net.IPBlock
  1 cidr! string
  2 except string[]
net.NetworkPolicyEgressRule
  1 ports net.NetworkPolicyPort[]
  2 to net.NetworkPolicyPeer[]
disc.EndpointSlice # A part of the endpoints of a Service, all of one address family.
  1 metadata meta.ObjectMeta
  4 addressType! string # IPv4, IPv6 or FQDN. Cannot be changed.
  2 endpoints! disc.Endpoint[] # The endpoints, at most 1000.
  3 ports disc.EndpointPort[] # The ports that every endpoint of this slice has.
disc.Endpoint # One backend of a Service.
  1 addresses! string[set] # Addresses of the endpoint; consumers use the first.
  2 conditions disc.EndpointConditions # Whether it takes traffic.
  3 hostname string? # Host name of the endpoint.
  4 targetRef core.ObjectReference # The Pod behind the endpoint.
  5 deprecatedTopology string{}
  6 nodeName string? # Node the endpoint runs on.
  7 zone string? # Zone of the endpoint.
  8 hints disc.EndpointHints
disc.EndpointConditions
  1 ready bool? # Takes traffic. Absent means true.
  2 serving bool? # Would take traffic, were it not terminating.
  3 terminating bool? # Is shutting down.
disc.EndpointHints
  1 forZones disc.ForZone[]
  2 forNodes disc.ForNode[]
disc.ForNode
  1 name! string
disc.ForZone
  1 name! string
disc.EndpointPort
  1 name string? # Name of the port; matches the Service's.
  2 protocol string? # TCP, UDP or SCTP.
  3 port int32? # Number of the port; absent means all ports.
  4 appProtocol string?
`;
