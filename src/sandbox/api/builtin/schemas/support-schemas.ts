/** Leases, Events, RBAC, reviews and Scale. In the notation of `parseSchemaTable`. */
export const supportSchemas = `
coord.Lease # A claim on something, renewed by its holder.
  1 metadata meta.ObjectMeta
  2 spec coord.LeaseSpec
coord.LeaseSpec
  1 holderIdentity string? # Who holds it.
  2 leaseDurationSeconds int32? # How long after renewTime others must wait before they take it.
  3 acquireTime microtime # When the holder took it.
  4 renewTime microtime # When the holder renewed it last.
  5 leaseTransitions int32? # How often it changed hands.
  6 strategy string?
  7 preferredHolder string?
events.Event # Something that happened to an object.
  1 metadata meta.ObjectMeta
  2 eventTime! microtime # When it was seen first.
  3 series events.EventSeries # How often it was seen since.
  4 reportingController string # Who reports it.
  5 reportingInstance string
  6 action string # What was done.
  7 reason string # What happened, as a CamelCase word.
  8 regarding core.ObjectReference # The object it happened to.
  9 related core.ObjectReference
  10 note string # What happened, for people.
  11 type string # Normal or Warning.
  12 deprecatedSource core.EventSource
  13 deprecatedFirstTimestamp time
  14 deprecatedLastTimestamp time
  15 deprecatedCount int32
events.EventSeries
  1 count! int32
  2 lastObservedTime! microtime
rbac.Role # Permissions in a namespace.
  1 metadata meta.ObjectMeta
  2 rules rbac.PolicyRule[]
rbac.PolicyRule
  1 verbs! string[]
  2 apiGroups string[]
  3 resources string[]
  4 resourceNames string[]
  5 nonResourceURLs string[]
rbac.ClusterRole # Permissions in the cluster.
  1 metadata meta.ObjectMeta
  2 rules rbac.PolicyRule[]
  3 aggregationRule rbac.AggregationRule
rbac.AggregationRule
  1 clusterRoleSelectors meta.LabelSelector[]
rbac.RoleBinding # Gives a role to subjects in a namespace.
  1 metadata meta.ObjectMeta
  2 subjects rbac.Subject[]
  3 roleRef! rbac.RoleRef
rbac.Subject atomic
  1 kind! string
  2 apiGroup string
  3 name! string
  4 namespace string
rbac.RoleRef atomic
  1 apiGroup! string
  2 kind! string
  3 name! string
rbac.ClusterRoleBinding # Gives a cluster role to subjects.
  1 metadata meta.ObjectMeta
  2 subjects rbac.Subject[]
  3 roleRef! rbac.RoleRef
authz.SelfSubjectAccessReview
  1 metadata meta.ObjectMeta
  2 spec! authz.SelfSubjectAccessReviewSpec
  3 status authz.SubjectAccessReviewStatus
authz.SelfSubjectAccessReviewSpec
  1 resourceAttributes authz.ResourceAttributes
  2 nonResourceAttributes authz.NonResourceAttributes
authz.ResourceAttributes
  1 namespace string
  2 verb string
  3 group string
  4 version string
  5 resource string
  6 subresource string
  7 name string
  8 fieldSelector authz.FieldSelectorAttributes
  9 labelSelector authz.LabelSelectorAttributes
authz.FieldSelectorAttributes
  1 rawSelector string
  2 requirements meta.FieldSelectorRequirement[]
authz.LabelSelectorAttributes
  1 rawSelector string
  2 requirements meta.LabelSelectorRequirement[]
authz.NonResourceAttributes
  1 path string
  2 verb string
authz.SubjectAccessReviewStatus
  1 allowed! bool
  4 denied bool
  2 reason string
  3 evaluationError string
authz.SubjectAccessReview
  1 metadata meta.ObjectMeta
  2 spec! authz.SubjectAccessReviewSpec
  3 status authz.SubjectAccessReviewStatus
authz.SubjectAccessReviewSpec
  1 resourceAttributes authz.ResourceAttributes
  2 nonResourceAttributes authz.NonResourceAttributes
  3 user string
  4 groups string[]
  5 extra string[]{}
  6 uid string
authz.LocalSubjectAccessReview
  1 metadata meta.ObjectMeta
  2 spec! authz.SubjectAccessReviewSpec
  3 status authz.SubjectAccessReviewStatus
authz.SelfSubjectRulesReview
  1 metadata meta.ObjectMeta
  2 spec! authz.SelfSubjectRulesReviewSpec
  3 status authz.SubjectRulesReviewStatus
authz.SelfSubjectRulesReviewSpec
  1 namespace string
authz.SubjectRulesReviewStatus
  1 resourceRules! authz.ResourceRule[]
  2 nonResourceRules! authz.NonResourceRule[]
  3 incomplete! bool
  4 evaluationError string
authz.ResourceRule
  1 verbs! string[]
  2 apiGroups string[]
  3 resources string[]
  4 resourceNames string[]
authz.NonResourceRule
  1 verbs! string[]
  2 nonResourceURLs string[]
authn.TokenReview
  1 metadata meta.ObjectMeta
  2 spec! authn.TokenReviewSpec
  3 status authn.TokenReviewStatus
authn.TokenReviewSpec
  1 token string
  2 audiences string[]
authn.TokenReviewStatus
  1 authenticated bool
  2 user authn.UserInfo
  4 audiences string[]
  3 error string
authn.UserInfo
  1 username string
  2 uid string
  3 groups string[]
  4 extra string[]{}
authn.SelfSubjectReview
  1 metadata meta.ObjectMeta
  2 status authn.SelfSubjectReviewStatus
authn.SelfSubjectReviewStatus
  1 userInfo authn.UserInfo
autos.Scale
  1 metadata meta.ObjectMeta
  2 spec autos.ScaleSpec
  3 status autos.ScaleStatus
autos.ScaleSpec
  1 replicas int32
autos.ScaleStatus
  1 replicas! int32
  2 selector string
`;
