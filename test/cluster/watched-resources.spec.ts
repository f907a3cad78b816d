import { describeOnCluster } from '../fixtures/control-plane.ts';
import { watchedResourcesSuite } from '../fixtures/watched-resources-suite.ts';

describeOnCluster('watched resources on a real API server', (cluster) => {
  watchedResourcesSuite(() => Promise.resolve(cluster.kubeconfig));
});
