import { describeOnCluster } from '../fixtures/control-plane.ts';
import { ownObjectsSuite } from '../fixtures/own-objects-suite.ts';

describeOnCluster('own objects on a real API server', (cluster) => {
  ownObjectsSuite(() => Promise.resolve(cluster.kubeconfig));
});
