import { type ValueRow, valueRows, valuesTable } from './values-table.ts';

/** Parts of the chart, by how their keys begin, in the order of the page. What is in none of them is about the controller's pods. */
const parts: readonly (readonly [heading: string, prefixes: readonly string[]])[] = [
  [
    'Names, image and CRDs',
    ['common', 'nameOverride', 'fullnameOverride', 'image', 'imagePullSecrets', 'crds'],
  ],
  ['The configuration', ['controller']],
  ['Classes', ['ingressClass', 'gatewayClass']],
  ['HAProxy pods', ['haproxy']],
  ['Agents', ['agent.']],
  ['Certificates', ['agentTls', 'defaultSSLCertificate']],
  ['The admission webhook', ['webhook']],
  ['Rights', ['rbac', 'serviceAccount']],
  ['Monitoring', ['monitoring']],
  ['Jobs, and objects of your own', ['jobs', 'extraObjects']],
];

/** docs/values.md: every value of the chart, by the part that it is about. */
export function valuesReference(): string {
  const rows = valueRows();
  const partOf = ({ key }: ValueRow) =>
    parts.find(([, prefixes]) => prefixes.some((prefix) => key.startsWith(prefix)))?.[0] ??
    'Pods of the controller';
  const headings = [
    ...parts.slice(0, 2).map(([heading]) => heading),
    'Pods of the controller',
    ...parts.slice(2).map(([heading]) => heading),
  ];
  const sections = headings.map(
    (heading) =>
      `## ${heading}\n\n${valuesTable(
        '',
        rows.filter((row) => partOf(row) === heading),
      )}\n`,
  );
  return `# Values of the chart

<!-- Generated from charts/haptic/values.yaml by ./dev generate. -->
<!-- prettier-ignore-start -->

What can be set by \`helm install --set\` or in a file for \`-f\`. A key that is not here is refused, and so are values that do not go together: the message
says what to change. \`haptic preflight --values FILE\` tells it before anything is installed. Each file of [charts/haptic/ci](../charts/haptic/ci) is an example, and rendered by the tests.

${sections.join('\n')}
<!-- prettier-ignore-end -->
`;
}
