import { describeOnCluster } from '../fixtures/control-plane.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { leadershipSuite } from '../fixtures/leadership-suite.ts';

describeOnCluster('three controllers on a real API server', (cluster) => {
  const line = newestHaproxyLine();
  if (line === undefined) return;
  leadershipSuite({ line, replicas: 3, kubeconfig: () => Promise.resolve(cluster.kubeconfig) });
});
