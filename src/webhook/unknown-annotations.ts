import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { annotationPrefix } from '../projections/policies/annotation-field.ts';
import { namesElsewhere } from '../projections/policies/names-elsewhere.ts';
import { policyIndex } from '../projections/policies/policy-index.ts';

/**
 * Annotations by which other ingress controllers are told what to do: templates may read them. Our own are known to the projections, which report those that they do not
 * know.
 */
const prefixes = [
  'haproxy.org/',
  'haproxy.com/',
  'haproxy-ingress.github.io/',
  'ingress.kubernetes.io/',
  'nginx.ingress.kubernetes.io/',
] as const;
/** Each is compared with every name that there is. */
const most = 32;

/**
 * Annotations of an object that look as if something were to follow from them, and that no template of the configuration knows.
 * Each with the known one that its author may have meant, or that it is called here; the first 32, and how many more there are. One that stands beside what it is
 * called here is left over on purpose.
 *
 * @param known names of annotations that the configuration knows, see {@link knownAnnotations}
 */
export function unknownAnnotations({ metadata }: KubeObject, known: ReadonlySet<string>): readonly string[] {
  const annotations = metadata.annotations ?? {};
  const unknown = Object.keys(annotations)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !known.has(name))
    .filter((name) => !Object.hasOwn(annotations, nameHere(name) ?? ''))
    .sort();
  const more =
    unknown.length > most
      ? [`metadata.annotations: nothing reads ${unknown.length - most} more of these annotations`]
      : [];
  return unknown
    .slice(0, most)
    .map((name) => {
      const meant = nearestName(name, known) ?? nameHere(name);
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      return `metadata.annotations[${name}]: nothing reads this annotation${hint}`;
    })
    .concat(more);
}

/** What an annotation of another controller is called among ours. */
function nameHere(annotation: string): string | undefined {
  const key = annotation.slice(annotation.indexOf('/') + 1);
  const ours = policyIndex.byKey.has(key) ? key : namesElsewhere.get(key);
  return ours === undefined ? undefined : annotationPrefix + ours;
}

/** Every annotation with a known prefix that stands in a template, whoever's. */
export function knownAnnotations(config: TemplateConfig): ReadonlySet<string> {
  const sources = [
    config.haproxyConfig,
    ...Object.values(config.templateSnippets),
    ...Object.values(config.maps),
    ...Object.values(config.files),
  ];
  const found = sources.flatMap(({ template }) => template.match(/[a-z0-9.-]+\/[A-Za-z0-9_.-]+/g) ?? []);
  return new Set(found.filter((name) => prefixes.some((prefix) => name.startsWith(prefix))));
}
