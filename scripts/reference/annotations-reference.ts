import { annotationPrefix } from '../../src/projections/policies/annotation-field.ts';
import { boolean } from '../../src/projections/policies/parsers/boolean.ts';
import { policyIndex, type PolicyRow } from '../../src/projections/policies/policy-index.ts';
import type { PolicyNeed } from '../../src/projections/policies/policy-need.ts';
import { policyTable } from '../../src/projections/policies/policy-table.ts';
import type { PolicyTopic } from '../../src/projections/policies/policy-topic.ts';

/** The page docs/annotations.md. */
export function annotationsReference(): string {
  return `# Annotations

<!-- Generated from src/projections/policies by ./dev generate. -->
<!-- prettier-ignore-start -->

Each begins with \`${annotationPrefix}\`. Those about backends may be on the Service as well, which is heard before the Ingress; all others are for Ingresses. What is
wrong with one is told by the admission webhook, which refuses errors and warns of the rest, by an Event and by the status page. It concerns that annotation alone, unless it
restricts: then the routes of its object are **closed** (503) until it is mended. What one **needs** has to be on the same object; where the table says so, a Service that an
Ingress routes to may say it in its place. How to use them is told in [Policies](policies.md).

| reason | severity | what happened |
| --- | --- | --- |
| \`AnnotationMisplaced\` | error | is on a Service, and about routes: it has no effect, or closes them |
| \`AnnotationUnknown\` | warning | there is no such annotation; an error, which closes the routes, where one that restricts seems to be meant |
| \`AnnotationWithoutEffect\` | warning | what it needs is not there, or another one leaves nothing for it to do; an error, which closes the routes, where it restricts |
| \`InvalidAnnotation\` | error | its value cannot be understood: it has no effect, or closes the routes |
| \`KeysInvalid\` | error | \`jwt-secret\`: the Secret is missing or malformed, and no token is believed; a warning where some of its keys count |
| \`PasswordsInvalid\` | error | \`auth-secret\`: the Secret is missing or malformed, and nobody is let in, or some of its users are not |
| \`PoliciesOverBound\` | error | the namespace has more combinations of settings, or canaries by more headers and cookies, than \`controller.policyBounds\` lets it have: those of the youngest objects have no effect, or close the routes |
| \`RefNotPermitted\` | error | \`auth-url\` or \`mirror-target\` names a Service of another namespace: nobody is let in, or it gets no copies |
| \`SnippetForbidden\` | error | is HAProxy's language, which the configuration does not allow |

Reasons about certificates that annotations name are in [Serve HTTPS](tls.md#find-out-why-a-certificate-is-not-served), those about Services in [Ingress](ingress.md#find-out-why-a-path-is-not-served).

A change is **free** where it is an entry of a map at runtime, on every HAProxy line. A **profile** is what backends of one shape share: a value that is part of it takes
a reload when it is new among all backends, and none for further routes that come on HAProxy 3.4. What is on the lines of servers makes another **backend**
of the same profile, which comes without a reload on HAProxy 3.4.

${policyTable.map(topicText).join('\n\n')}

<!-- prettier-ignore-end -->
`;
}

function topicText(topic: PolicyTopic): string {
  const { title } = topic;
  const rows = policyIndex.rows.filter((row) => row.topic === topic).map(rowText);
  return `## ${title}

| annotation | about | values | meaning | a change is | example |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}`;
}

function rowText({ field, needs }: PolicyRow): string {
  const { key, scope, values, summary, example, shape, restricting, snippet, narrows, cost } = field;
  const costs = { nothing: 'free', value: 'a profile', server: 'a backend' } as const;
  const change = cost ?? (typeof shape === 'string' ? costs[shape] : 'a profile in part');
  const notes = [
    ...needs.map(needText),
    restricting && '**Restricts.**',
    narrows && '**Narrows.**',
    snippet && '**Snippet.**',
  ].filter(Boolean);
  const cells = [code(key), scope, values, [summary, ...notes].join(' '), change, code(example)];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function needText({ anyOf, value, orByDefault, orOnService }: PolicyNeed): string {
  const ways = anyOf.flatMap((name) => {
    const field = policyIndex.byField.get(name)?.field;
    const wanted = value ?? (field?.parse === boolean ? 'true' : undefined);
    return field === undefined ? [] : code(`${field.key}${wanted === undefined ? '' : `: ${wanted}`}`);
  });
  const elsewhere = [
    orOnService === undefined ? '' : ', here or on the Service',
    orByDefault === undefined ? '' : ', or the same of the configuration',
  ];
  return `**Needs** ${ways.join(' or ')}${elsewhere.join('')}.`;
}

function code(text: string): string {
  return `\`${text.replaceAll('\n', '\\n')}\``;
}
