import { describeOnCluster } from '../fixtures/control-plane.ts';
import { statusSuite } from '../fixtures/status-suite.ts';

describeOnCluster('statuses and Events on a real API server', (cluster) => {
  statusSuite(() => Promise.resolve(cluster.kubeconfig), cluster.kubectl);
});
