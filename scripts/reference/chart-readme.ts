import { valuesTable } from './values-table.ts';

/** charts/haptic/README.md: what whoever finds the chart first has to know, and all values. */
export function chartReadme(): string {
  return `# HAPTIC

<!-- Generated from charts/haptic/values.yaml and scripts/reference/chart-readme.ts by ./dev generate. -->
<!-- prettier-ignore-start -->

An ingress controller for HAProxy whose configuration is made by templates. This chart installs two controllers, of which one leads, two HAProxy pods with their agents, and the shipped
template libraries as objects. It takes Kubernetes 1.29 or newer, and Helm 3 or 4.

    helm install haptic charts/haptic --namespace haptic --create-namespace

It needs nothing else: certificates between controller and agents are issued by a Job and renewed every hour by a CronJob; the webhook's by the controller itself. All pods keep to the
restricted Pod Security Standard. A route is served as soon as its Ingress has the class \`haptic\`: what to do next is told after the installation.
[Install](../../docs/install.md) and [upgrade](../../docs/upgrade.md) are told step by step in the documentation.

## What to set first

| you want | set | an example |
| --- | --- | --- |
| an address of a cloud | \`haproxy.service.type=LoadBalancer\` | [load-balancer](ci/load-balancer-values.yaml) |
| ports 80 and 443 of each node | \`haproxy.kind=DaemonSet\`, \`haproxy.hostPorts.enabled=true\` | [daemonset-host-ports](ci/daemonset-host-ports-values.yaml) |
| Ingresses without a class | \`ingressClass.default=true\` | |
| certificates of cert-manager | \`agentTls.mode=certManager\`, \`webhook.certificate=certManager\` | [cert-manager](ci/cert-manager-values.yaml) |
| to be told when something is wrong | \`monitoring.podMonitor.enabled=true\`, \`monitoring.prometheusRule.enabled=true\` | [monitoring](ci/monitoring-values.yaml) |
| more pods under load | \`haproxy.autoscaling.enabled=true\` | [autoscaling](ci/autoscaling-values.yaml) |
| only what is needed on the network | \`networkPolicy.egress.enabled=true\`, ... | [closed-network](ci/closed-network-values.yaml) |
| some namespaces only, with rights in these alone | \`controller.config.watchedResources\` | [narrow](ci/narrow-values.yaml) |
| templates of your own | \`controller.config\` | [everything](ci/everything-values.yaml) |

## Upgrade, roll back, uninstall

\`helm upgrade\` brings the CRDs along: a Job runs \`haptic apply-crds\` before anything else is changed (\`crds.upgrade.enabled\`). A rollback leaves them, so nothing that is stored is lost.
HAProxy pods are replaced one by one: each serves on until no new connections come, and then finishes those that it has.

\`helm uninstall\` leaves the CRDs, since all configurations of the cluster would go with them. When no release is left:

    kubectl get crd -o name | grep haproxy-haptic.org | xargs kubectl delete

## Two releases

Each release has its own Lease, roles, webhook configuration, certificates and IngressClass, and selects pods by its own labels, in one namespace as well as in one cluster. IngressClasses are of
the whole cluster: releases of one name, in two namespaces, have to name theirs (\`ingressClass.name\`).

## What the controller may do

Read what the enabled libraries and \`controller.config.watchedResources\` watch, and nothing else: the roles are computed from them. Where all entries name \`namespaces\`, there are roles in these
alone. Write the status of Ingresses, Events, and in its own namespace what it publishes: certificates among it, so it may write Secrets there.
\`controller.config.controller.configPublishing.enabled=false\` takes that right away. Templates of \`k8sResources\` need \`rbac.ownResources\`.

## Values

A key that is not here is refused, and so are values that do not go together: the message says what to change.

${valuesTable('../../docs/')}

<!-- prettier-ignore-end -->
`;
}
