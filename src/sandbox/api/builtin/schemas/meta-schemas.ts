/** Metadata, selectors, conditions and delete options. In the notation of `parseSchemaTable`. */
export const metaSchemas = `
meta.ObjectMeta # What every object has: its name, its labels and what the server keeps about it.
  1 name string # Name, unique among objects of the kind in the namespace. Cannot be changed.
  2 generateName string # Prefix from which the server makes a unique name when name is empty.
  3 namespace string # Namespace the object lives in. Cannot be changed.
  4 selfLink string
  5 uid string # Unique among all objects ever; set by the server.
  6 resourceVersion string # Version of the object; a write that sends an old one is refused. Opaque.
  7 generation int64 # Counts changes of the desired state.
  8 creationTimestamp time # When the server stored the object.
  9 deletionTimestamp time # When the object is to be gone; set by the server when deletion was asked for.
  10 deletionGracePeriodSeconds int64? # Time the object has to end by itself.
  11 labels string{} # Keys and values to organize and select objects by.
  12 annotations string{} # Keys and values that tools store with the object; not for selecting.
  13 ownerReferences meta.OwnerReference[uid] patch=merge key=uid # Objects this one depends on: when all are gone, it goes too.
  14 finalizers string[set] patch=merge # What must be done before the object is removed; whoever did it takes its entry out.
  17 managedFields meta.ManagedFieldsEntry[] # Which writer owns which fields; kept by the server.
meta.OwnerReference atomic # Names an owner in the same namespace, or a cluster-scoped one.
  5 apiVersion! string
  1 kind! string
  3 name! string
  4 uid! string
  6 controller bool?
  7 blockOwnerDeletion bool?
meta.ManagedFieldsEntry
  1 manager string
  2 operation string
  3 apiVersion string
  4 time time
  6 fieldsType string
  7 fieldsV1 any
  8 subresource string
meta.LabelSelector atomic # Selects objects by their labels. matchLabels and matchExpressions must all hold; an empty one selects everything.
  1 matchLabels string{} # Labels an object must have, with these values.
  2 matchExpressions meta.LabelSelectorRequirement[] # Requirements on labels.
meta.LabelSelectorRequirement
  1 key! string
  2 operator! string
  3 values string[]
meta.Condition # One aspect of an object's state.
  1 type! string # Name of the aspect, CamelCase.
  2 status! string # True, False or Unknown.
  3 observedGeneration int64
  4 lastTransitionTime! time # When status changed last.
  5 reason! string # Cause of the last transition as a CamelCase word.
  6 message! string # The same for people.
meta.FieldSelectorRequirement
  1 key! string
  2 operator! string
  3 values string[]
meta.DeleteOptions
  1 gracePeriodSeconds int64?
  2 preconditions meta.Preconditions
  3 orphanDependents bool?
  4 propagationPolicy string?
  5 dryRun string[]
  6 ignoreStoreReadErrorWithClusterBreakingPotential bool?
meta.Preconditions
  1 uid string?
  2 resourceVersion string?
`;
