import { describeOnCluster } from '../fixtures/control-plane.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { retainedSuite } from '../fixtures/retained-suite.ts';

describeOnCluster('what new pods get while nothing can be rendered, on a real API server', (cluster) => {
  const line = newestHaproxyLine();
  if (line === undefined) return;
  retainedSuite({ line, kubeconfig: () => Promise.resolve(cluster.kubeconfig) });
});
