/** Volumes of pods. Kinds of volumes not listed field by field are taken as they come. In the notation of `parseSchemaTable`. */
export const volumeSchemas = `
core.Volume
  1 name! string
  2.1 hostPath core.HostPathVolumeSource
  2.2 emptyDir core.EmptyDirVolumeSource
  2.3 gcePersistentDisk any
  2.4 awsElasticBlockStore any
  2.5 gitRepo any
  2.6 secret core.SecretVolumeSource
  2.7 nfs core.NFSVolumeSource
  2.8 iscsi any
  2.9 glusterfs any
  2.10 persistentVolumeClaim core.PersistentVolumeClaimVolumeSource
  2.11 rbd any
  2.12 flexVolume any
  2.13 cinder any
  2.14 cephfs any
  2.15 flocker any
  2.16 downwardAPI core.DownwardAPIVolumeSource
  2.17 fc any
  2.18 azureFile any
  2.19 configMap core.ConfigMapVolumeSource
  2.20 vsphereVolume any
  2.21 quobyte any
  2.22 azureDisk any
  2.23 photonPersistentDisk any
  2.26 projected core.ProjectedVolumeSource
  2.24 portworxVolume any
  2.25 scaleIO any
  2.27 storageos any
  2.28 csi core.CSIVolumeSource
  2.29 ephemeral any
  2.30 image core.ImageVolumeSource
core.HostPathVolumeSource
  1 path! string
  2 type string?
core.EmptyDirVolumeSource
  1 medium string
  2 sizeLimit quantity
core.SecretVolumeSource
  1 secretName string
  2 items core.KeyToPath[]
  3 defaultMode int32?
  4 optional bool?
core.KeyToPath
  1 key! string
  2 path! string
  3 mode int32?
core.NFSVolumeSource
  1 server! string
  2 path! string
  3 readOnly bool
core.PersistentVolumeClaimVolumeSource
  1 claimName! string
  2 readOnly bool
core.DownwardAPIVolumeSource
  1 items core.DownwardAPIVolumeFile[]
  2 defaultMode int32?
core.DownwardAPIVolumeFile
  1 path! string
  2 fieldRef core.ObjectFieldSelector
  3 resourceFieldRef core.ResourceFieldSelector
  4 mode int32?
core.ObjectFieldSelector atomic
  1 apiVersion string
  2 fieldPath! string
core.ResourceFieldSelector atomic
  1 containerName string
  2 resource! string
  3 divisor quantity
core.ConfigMapVolumeSource
  1.1 name string
  2 items core.KeyToPath[]
  3 defaultMode int32?
  4 optional bool?
core.ProjectedVolumeSource
  1 sources core.VolumeProjection[]
  2 defaultMode int32?
core.VolumeProjection
  1 secret core.SecretProjection
  2 downwardAPI core.DownwardAPIProjection
  3 configMap core.ConfigMapProjection
  4 serviceAccountToken core.ServiceAccountTokenProjection
  5 clusterTrustBundle any
core.SecretProjection
  1.1 name string
  2 items core.KeyToPath[]
  4 optional bool?
core.DownwardAPIProjection
  1 items core.DownwardAPIVolumeFile[]
core.ConfigMapProjection
  1.1 name string
  2 items core.KeyToPath[]
  4 optional bool?
core.ServiceAccountTokenProjection
  1 audience string
  2 expirationSeconds int64?
  3 path! string
core.CSIVolumeSource
  1 driver! string
  2 readOnly bool?
  3 fsType string?
  4 volumeAttributes string{}
  5 nodePublishSecretRef core.LocalObjectReference
core.LocalObjectReference atomic
  1 name string
core.ImageVolumeSource
  1 reference string
  2 pullPolicy string
`;
