/** CustomResourceDefinition. In the notation of `parseSchemaTable`. */
export const crdSchemas = `
apiext.CustomResourceDefinition # Adds a kind to the API.
  1 metadata meta.ObjectMeta
  2 spec! apiext.CustomResourceDefinitionSpec
  3 status apiext.CustomResourceDefinitionStatus
apiext.CustomResourceDefinitionSpec
  1 group! string # API group of the kind; the object is named <plural>.<group>.
  3 names! apiext.CustomResourceDefinitionNames # Names of the kind in URLs and on the command line.
  4 scope! string # Namespaced or Cluster.
  7 versions! apiext.CustomResourceDefinitionVersion[] # Versions of the kind; exactly one is stored.
  9 conversion apiext.CustomResourceConversion
  10 preserveUnknownFields bool
apiext.CustomResourceDefinitionNames
  1 plural! string
  2 singular string
  3 shortNames string[]
  4 kind! string
  5 listKind string
  6 categories string[]
apiext.CustomResourceDefinitionVersion
  1 name! string # Name of the version (v1alpha1).
  2 served! bool # The version can be used.
  3 storage! bool # Objects are stored in this version.
  7 deprecated bool
  8 deprecationWarning string?
  4 schema apiext.CustomResourceValidation # What objects look like.
  5 subresources apiext.CustomResourceSubresources # Parts with an endpoint of their own.
  6 additionalPrinterColumns apiext.CustomResourceColumnDefinition[] # Columns that kubectl get shows.
  9 selectableFields apiext.SelectableField[]
apiext.CustomResourceValidation
  1 openAPIV3Schema any
apiext.CustomResourceSubresources
  1 status apiext.CustomResourceSubresourceStatus
  2 scale apiext.CustomResourceSubresourceScale
apiext.CustomResourceSubresourceStatus
apiext.CustomResourceSubresourceScale
  1 specReplicasPath! string
  2 statusReplicasPath! string
  3 labelSelectorPath string?
apiext.CustomResourceColumnDefinition
  1 name! string
  2 type! string
  3 format string
  4 description string
  5 priority int32
  6 jsonPath! string # Path to the value of the column, such as .status.phase.
apiext.SelectableField
  1 jsonPath! string
apiext.CustomResourceConversion
  1 strategy! string
  2 webhook apiext.WebhookConversion
apiext.WebhookConversion
  2 clientConfig apiext.WebhookClientConfig
  3 conversionReviewVersions! string[]
apiext.WebhookClientConfig
  3 url string?
  1 service apiext.ServiceReference
  2 caBundle bytes
apiext.ServiceReference
  1 namespace! string
  2 name! string
  3 path string?
  4 port int32?
apiext.CustomResourceDefinitionStatus
  1 conditions apiext.CustomResourceDefinitionCondition[type]
  2 acceptedNames apiext.CustomResourceDefinitionNames
  3 storedVersions string[]
apiext.CustomResourceDefinitionCondition
  1 type! string
  2 status! string
  3 lastTransitionTime time
  4 reason string
  5 message string
`;
