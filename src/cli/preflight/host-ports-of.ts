import { containersOf, records } from '../fields.ts';

/** Host ports of a pod, in order. */
export function hostPortsOf(spec: Readonly<Record<string, unknown>>): readonly number[] {
  return containersOf(spec)
    .flatMap(({ ports }) => records(ports))
    .flatMap(({ hostPort }) => (typeof hostPort === 'number' && hostPort > 0 ? [hostPort] : []))
    .sort((a, b) => a - b);
}
