/** Fields of `HAProxyTemplateConfig.spec` that a HAProxyTemplateLibrary has, too. */
export const libraryFields = [
  'templatingSettings',
  'watchedResourcesIgnoreFields',
  'watchedResources',
  'templateSnippets',
  'haproxyConfig',
  'maps',
  'files',
  'sslCertificates',
  'crtLists',
  'k8sResources',
  'validationTests',
] as const;
