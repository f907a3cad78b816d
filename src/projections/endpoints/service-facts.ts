import type { PolicyShape } from '../policies/policy-shape.ts';
import type { SpokenProtocol } from './port-protocols.ts';

/** What a Service by its own fields asks of its backends. */
export interface ServiceFacts {
  /** Of their profile. */
  readonly shape?: PolicyShape;
  /** What is spoken with their servers, by number and name of the port. Absent: HTTP/1.1 in the clear, or it makes no difference. */
  readonly protocols?: ReadonlyMap<string | number, SpokenProtocol>;
}
