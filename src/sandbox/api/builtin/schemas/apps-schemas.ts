/** Workloads: apps, batch and policy. In the notation of `parseSchemaTable`. */
export const appsSchemas = `
apps.Deployment # Keeps a number of equal pods running and replaces them step by step when the template changes.
  1 metadata meta.ObjectMeta
  2 spec apps.DeploymentSpec # The desired state.
  3 status apps.DeploymentStatus # The current state.
apps.DeploymentSpec
  1 replicas int32? # How many pods there are to be. Defaults to 1.
  2 selector! meta.LabelSelector # Labels that the pods must have. Cannot be changed.
  3 template! core.PodTemplateSpec # The pods to make.
  4 strategy apps.DeploymentStrategy patch=retainKeys # How old pods are replaced.
  5 minReadySeconds int32 # How long a new pod must be ready to count as available.
  6 revisionHistoryLimit int32? # How many old ReplicaSets are kept.
  7 paused bool # No replacement of pods while true.
  9 progressDeadlineSeconds int32? # After how long without progress the Deployment counts as failed.
apps.DeploymentStrategy
  1 type string
  2 rollingUpdate apps.RollingUpdateDeployment
apps.RollingUpdateDeployment
  1 maxUnavailable intOrString
  2 maxSurge intOrString
apps.DeploymentStatus
  1 observedGeneration int64
  2 replicas int32
  3 updatedReplicas int32
  7 readyReplicas int32
  4 availableReplicas int32
  5 unavailableReplicas int32
  6 conditions! apps.DeploymentCondition[type] patch=merge key=type
  8 collisionCount int32?
apps.DeploymentCondition
  1 type! string
  2 status! string
  6 lastUpdateTime time
  7 lastTransitionTime time
  4 reason string
  5 message string
apps.ReplicaSet # Keeps a number of equal pods running.
  1 metadata meta.ObjectMeta
  2 spec apps.ReplicaSetSpec
  3 status apps.ReplicaSetStatus
apps.ReplicaSetSpec
  1 replicas int32?
  4 minReadySeconds int32
  2 selector! meta.LabelSelector
  3 template core.PodTemplateSpec
apps.ReplicaSetStatus
  1 replicas! int32
  2 fullyLabeledReplicas int32
  4 readyReplicas int32
  5 availableReplicas int32
  3 observedGeneration int64
  6 conditions apps.ReplicaSetCondition[type] patch=merge key=type
apps.ReplicaSetCondition
  1 type! string
  2 status! string
  3 lastTransitionTime time
  4 reason string
  5 message string
apps.StatefulSet # Pods with stable names and storage.
  1 metadata meta.ObjectMeta
  2 spec apps.StatefulSetSpec
  3 status apps.StatefulSetStatus
apps.StatefulSetSpec
  1 replicas int32?
  2 selector! meta.LabelSelector
  3 template! core.PodTemplateSpec
  4 volumeClaimTemplates any[]
  5 serviceName! string
  6 podManagementPolicy string
  7 updateStrategy apps.StatefulSetUpdateStrategy
  8 revisionHistoryLimit int32?
  9 minReadySeconds int32
  10 persistentVolumeClaimRetentionPolicy apps.StatefulSetPersistentVolumeClaimRetentionPolicy
  11 ordinals apps.StatefulSetOrdinals
apps.StatefulSetUpdateStrategy
  1 type string
  2 rollingUpdate apps.RollingUpdateStatefulSetStrategy
apps.RollingUpdateStatefulSetStrategy
  1 partition int32?
  2 maxUnavailable intOrString
apps.StatefulSetPersistentVolumeClaimRetentionPolicy
  1 whenDeleted string
  2 whenScaled string
apps.StatefulSetOrdinals
  1 start int32
apps.StatefulSetStatus
  1 observedGeneration int64
  2 replicas! int32
  3 readyReplicas int32
  4 currentReplicas int32
  5 updatedReplicas int32
  6 currentRevision string
  7 updateRevision string
  9 collisionCount int32?
  10 conditions apps.StatefulSetCondition[type] patch=merge key=type
  11 availableReplicas int32
apps.StatefulSetCondition
  1 type! string
  2 status! string
  3 lastTransitionTime time
  4 reason string
  5 message string
apps.DaemonSet # One pod on every node.
  1 metadata meta.ObjectMeta
  2 spec apps.DaemonSetSpec
  3 status apps.DaemonSetStatus
apps.DaemonSetSpec
  1 selector! meta.LabelSelector
  2 template! core.PodTemplateSpec
  3 updateStrategy apps.DaemonSetUpdateStrategy
  4 minReadySeconds int32
  6 revisionHistoryLimit int32?
apps.DaemonSetUpdateStrategy
  1 type string
  2 rollingUpdate apps.RollingUpdateDaemonSet
apps.RollingUpdateDaemonSet
  1 maxUnavailable intOrString
  2 maxSurge intOrString
apps.DaemonSetStatus
  1 currentNumberScheduled! int32
  2 numberMisscheduled! int32
  3 desiredNumberScheduled! int32
  4 numberReady! int32
  5 observedGeneration int64
  6 updatedNumberScheduled int32
  7 numberAvailable int32
  8 numberUnavailable int32
  9 collisionCount int32?
  10 conditions apps.DaemonSetCondition[type] patch=merge key=type
apps.DaemonSetCondition
  1 type! string
  2 status! string
  3 lastTransitionTime time
  4 reason string
  5 message string
policy.PodDisruptionBudget # How many pods of a set may be away at once.
  1 metadata meta.ObjectMeta
  2 spec policy.PodDisruptionBudgetSpec
  3 status policy.PodDisruptionBudgetStatus
policy.PodDisruptionBudgetSpec
  1 minAvailable intOrString # How many must stay, as a number or percentage.
  2 selector meta.LabelSelector patch=replace
  3 maxUnavailable intOrString # How many may be away, as a number or percentage.
  4 unhealthyPodEvictionPolicy string?
policy.PodDisruptionBudgetStatus
  1 observedGeneration int64
  2 disruptedPods time{}
  3 disruptionsAllowed! int32
  4 currentHealthy! int32
  5 desiredHealthy! int32
  6 expectedPods! int32
  7 conditions meta.Condition[type] patch=merge key=type
batch.Job # Runs pods until enough of them have succeeded.
  1 metadata meta.ObjectMeta
  2 spec batch.JobSpec
  3 status batch.JobStatus
batch.JobSpec
  1 parallelism int32?
  2 completions int32?
  3 activeDeadlineSeconds int64?
  11 podFailurePolicy any
  16 successPolicy batch.SuccessPolicy
  7 backoffLimit int32?
  12 backoffLimitPerIndex int32?
  13 maxFailedIndexes int32?
  4 selector meta.LabelSelector
  5 manualSelector bool?
  6 template! core.PodTemplateSpec
  8 ttlSecondsAfterFinished int32?
  9 completionMode string?
  10 suspend bool?
  14 podReplacementPolicy string?
  15 managedBy string?
batch.SuccessPolicy
  1 rules! batch.SuccessPolicyRule[]
batch.SuccessPolicyRule
  1 succeededIndexes string?
  2 succeededCount int32?
batch.JobStatus
  1 conditions batch.JobCondition[] patch=merge key=type
  2 startTime time
  3 completionTime time
  4 active int32
  5 succeeded int32
  6 failed int32
  11 terminating int32?
  7 completedIndexes string
  10 failedIndexes string?
  8 uncountedTerminatedPods batch.UncountedTerminatedPods
  9 ready int32?
batch.JobCondition
  1 type! string
  2 status! string
  3 lastProbeTime time
  4 lastTransitionTime time
  5 reason string
  6 message string
batch.UncountedTerminatedPods
  1 succeeded string[set]
  2 failed string[set]
`;
