import type { ApiObject } from './api-object.ts';
import { getIn, setIn } from './json.ts';
import type { ScalePaths } from './resource-type.ts';

/** The `autoscaling/v1` Scale of an object. */
export function scaleOf(object: ApiObject, paths: ScalePaths): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { replicas: getIn(object, paths.replicas) ?? 0 },
    status: { replicas: getIn(object, paths.statusReplicas) ?? 0, selector: paths.selector(object) },
  };
}

/** The object with the replicas of a Scale, and its resourceVersion as the precondition. */
export function withScale(object: ApiObject, scale: unknown, paths: ScalePaths): unknown {
  const next = setIn(object, paths.replicas, getIn(scale, ['spec', 'replicas']) ?? 0);
  const resourceVersion = getIn(scale, ['metadata', 'resourceVersion']);
  return resourceVersion === undefined ? next : setIn(next, ['metadata', 'resourceVersion'], resourceVersion);
}
