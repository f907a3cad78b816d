import { customResourceDefinition } from '../src/api/crd/custom-resource-definition.ts';
import { customResources } from '../src/api/crd/custom-resources.ts';
import { apiGroup } from '../src/api/api-group.ts';
import { crdReference } from './crd-reference.ts';
import { annotationsReference } from './reference/annotations-reference.ts';
import { chartReadme } from './reference/chart-readme.ts';
import { cliReference } from './reference/cli-reference.ts';
import { metricsReference } from './reference/metrics-reference.ts';
import { templateReference } from './reference/template-reference.ts';
import { valuesReference } from './reference/values-reference.ts';
import { toYaml } from '../src/lib/to-yaml.ts';

/** A file of the repository that is made from others of it. */
export interface GeneratedFile {
  /** Path from the root. */
  readonly path: string;
  readonly content: () => Promise<string>;
}

/** What `./dev generate` writes and a test compares. */
export const generatedFiles: readonly GeneratedFile[] = [
  ...customResources.map((resource) => ({
    path: `charts/haptic/crds/${apiGroup.group}_${resource.plural}.yaml`,
    content: () =>
      Promise.resolve(
        `# Generated from src/api by ./dev generate.\n${toYaml(customResourceDefinition(resource))}`,
      ),
  })),
  { path: 'docs/template-reference.md', content: () => Promise.resolve(templateReference()) },
  { path: 'docs/annotations.md', content: () => Promise.resolve(annotationsReference()) },
  { path: 'docs/cli.md', content: () => Promise.resolve(cliReference()) },
  { path: 'docs/metrics-reference.md', content: () => Promise.resolve(metricsReference()) },
  { path: 'docs/values.md', content: () => Promise.resolve(valuesReference()) },
  { path: 'charts/haptic/README.md', content: () => Promise.resolve(chartReadme()) },
  { path: 'docs/crd-reference.md', content: () => Promise.resolve(crdReference()) },
];
