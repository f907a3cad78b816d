import { describeOnCluster } from '../fixtures/control-plane.ts';
import { crdSuite } from '../fixtures/crd-suite.ts';

describeOnCluster('the CRDs on a real API server', (cluster) => {
  crdSuite(() => cluster.kubectl());
});
