import { expect, it } from 'vitest';
import { measureServiceCosts } from '../../../fixtures/service-costs.ts';

/** What docs/services.md promises, by the plan's verdict. `bench shapes` prints it. */
it.each(measureServiceCosts())(
  'another value of a field of a Service takes no reload on HAProxy 3.4: $what',
  ({ lines }) => {
    expect(lines['3.4']).toBe('runtime');
  },
);
