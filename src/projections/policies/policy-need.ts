import type { PolicyDefaults } from './policy-defaults.ts';
import type { PolicyFields } from './policy-fields.ts';

/** Other settings of the same object, one of which has to be said for a setting to have an effect. */
export interface PolicyNeed {
  /** One is enough. `false`, `off` and `none` are not: whoever writes that has turned it off. */
  readonly anyOf: readonly (keyof PolicyFields)[];
  /** What it has to say, where not any value will do. */
  readonly value?: string;
  /** The configuration may say it for everybody. */
  readonly orByDefault?: keyof PolicyDefaults;
  /** For settings about backends: a Service that an Ingress routes to may say it. */
  readonly orOnService?: true;
}
