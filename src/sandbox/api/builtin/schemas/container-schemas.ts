/** Containers of pods. In the notation of `parseSchemaTable`. */
export const containerSchemas = `
core.Container # One program of a pod.
  1 name! string # Name, unique in the pod.
  2 image string # Image to run.
  3 command string[] # Program, in the place of the image's.
  4 args string[] # Arguments, in the place of the image's.
  5 workingDir string
  6 ports core.ContainerPort[containerPort,protocol] patch=merge key=containerPort # Ports the container opens.
  19 envFrom core.EnvFromSource[]
  7 env core.EnvVar[name] patch=merge key=name # Environment variables.
  8 resources core.ResourceRequirements # What the container needs and what it may use.
  23 resizePolicy core.ContainerResizePolicy[]
  24 restartPolicy string?
  9 volumeMounts core.VolumeMount[mountPath] patch=merge key=mountPath # Where volumes appear.
  21 volumeDevices core.VolumeDevice[devicePath] patch=merge key=devicePath
  10 livenessProbe core.Probe # When the container is restarted.
  11 readinessProbe core.Probe # When the pod takes traffic.
  22 startupProbe core.Probe # When the container has started.
  12 lifecycle core.Lifecycle
  13 terminationMessagePath string
  20 terminationMessagePolicy string
  14 imagePullPolicy string
  15 securityContext core.SecurityContext
  16 stdin bool
  17 stdinOnce bool
  18 tty bool
core.ContainerPort
  1 name string # Name by which Services can mean the port.
  2 hostPort int32
  3 containerPort! int32 # Number of the port.
  4 protocol string default=TCP # TCP, UDP or SCTP.
  5 hostIP string
core.EnvFromSource
  1 prefix string
  2 configMapRef core.ConfigMapEnvSource
  3 secretRef core.SecretEnvSource
core.ConfigMapEnvSource
  1.1 name string
  2 optional bool?
core.SecretEnvSource
  1.1 name string
  2 optional bool?
core.EnvVar
  1 name! string
  2 value string
  3 valueFrom core.EnvVarSource
core.EnvVarSource
  1 fieldRef core.ObjectFieldSelector
  2 resourceFieldRef core.ResourceFieldSelector
  3 configMapKeyRef core.ConfigMapKeySelector
  4 secretKeyRef core.SecretKeySelector
core.ConfigMapKeySelector atomic
  1.1 name string
  2 key! string
  3 optional bool?
core.SecretKeySelector atomic
  1.1 name string
  2 key! string
  3 optional bool?
core.ResourceRequirements
  1 limits quantity{}
  2 requests quantity{}
  3 claims core.ResourceClaim[name]
core.ResourceClaim
  1 name! string
  2 request string
core.ContainerResizePolicy
  1 resourceName! string
  2 restartPolicy! string
core.VolumeMount
  1 name! string
  2 readOnly bool
  7 recursiveReadOnly string?
  3 mountPath! string
  4 subPath string
  5 mountPropagation string?
  6 subPathExpr string
core.VolumeDevice
  1 name! string
  2 devicePath! string
core.Probe
  1.1 exec core.ExecAction
  1.2 httpGet core.HTTPGetAction
  1.3 tcpSocket core.TCPSocketAction
  1.4 grpc core.GRPCAction
  2 initialDelaySeconds int32
  3 timeoutSeconds int32
  4 periodSeconds int32
  5 successThreshold int32
  6 failureThreshold int32
  7 terminationGracePeriodSeconds int64?
core.ExecAction
  1 command string[]
core.HTTPGetAction
  1 path string
  2 port! intOrString
  3 host string
  4 scheme string
  5 httpHeaders core.HTTPHeader[]
core.HTTPHeader
  1 name! string
  2 value! string
core.TCPSocketAction
  1 port! intOrString
  2 host string
core.GRPCAction
  1 port! int32
  2 service string?
core.Lifecycle
  1 postStart core.LifecycleHandler
  2 preStop core.LifecycleHandler
core.LifecycleHandler
  1 exec core.ExecAction
  2 httpGet core.HTTPGetAction
  3 tcpSocket core.TCPSocketAction
  4 sleep core.SleepAction
core.SleepAction
  1 seconds! int64
core.SecurityContext
  1 capabilities core.Capabilities
  2 privileged bool?
  3 seLinuxOptions core.SELinuxOptions
  10 windowsOptions any
  4 runAsUser int64?
  8 runAsGroup int64?
  5 runAsNonRoot bool?
  6 readOnlyRootFilesystem bool?
  7 allowPrivilegeEscalation bool?
  9 procMount string?
  11 seccompProfile core.SeccompProfile
  12 appArmorProfile core.AppArmorProfile
core.Capabilities
  1 add string[]
  2 drop string[]
core.SELinuxOptions
  1 user string
  2 role string
  3 type string
  4 level string
core.SeccompProfile
  1 type! string
  2 localhostProfile string?
core.AppArmorProfile
  1 type! string
  2 localhostProfile string?
`;
