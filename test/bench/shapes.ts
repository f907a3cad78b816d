import type { Cost } from '../fixtures/change-cost.ts';
import { measurePolicyCosts } from '../fixtures/policy-costs.ts';
import { measureServiceCosts } from '../fixtures/service-costs.ts';

/**
 * Which policies are changed at runtime, on which line of HAProxy, and why the others are not: the plan's verdict for each annotation. `policies` has one entry
 * for each, with a cost for each of its `lines`: `first` (a route that says it where no other does), `newRoute` (another one that says the same, with a
 * Service of its own), `newValue` (absent: there is but one); each is `runtime` or the reasons of a reload. `runtimeOnly` counts, by line,
 * new routes and new values that take none. `services` has what another value of a Service's own fields costs, by line.
 */
export async function run(): Promise<object> {
  const costs = await measurePolicyCosts();
  const lines = [...new Set(costs.map(({ line }) => line))];
  const keys = [...new Set(costs.map(({ key }) => key))];
  const policies = keys.map((key) => {
    const own = costs.filter((cost) => cost.key === key);
    const cells = own.map(
      ({ line, newRoute, newValue }) => `${line}: ${shortly(newRoute)} / ${shortly(newValue)}`,
    );
    process.stderr.write(`${key.padEnd(28)} ${cells.join('   ')}\n`);
    return {
      key,
      lines: Object.fromEntries(
        own.map(({ line, first, newRoute, newValue }) => [line, { first, newRoute, newValue }]),
      ),
    };
  });
  const count = (line: string, of: 'newRoute' | 'newValue') => {
    const found = costs.filter((cost) => cost.line === line && cost[of] !== undefined);
    return `${found.filter((cost) => cost[of] === 'runtime').length} of ${found.length}`;
  };
  const services = measureServiceCosts().map(({ what, lines: byLine }) => {
    const cells = Object.entries(byLine).map(([line, cost]) => `${line}: ${shortly(cost)}`);
    process.stderr.write(`${what.padEnd(28)} ${cells.join('   ')}\n`);
    return { what, lines: byLine };
  });
  return {
    policies,
    services,
    runtimeOnly: Object.fromEntries(
      lines.map((line) => [line, { newRoutes: count(line, 'newRoute'), newValues: count(line, 'newValue') }]),
    ),
  };
}

function shortly(cost: Cost | undefined): string {
  if (cost === undefined) return '-';
  return cost === 'runtime' ? cost : 'reload';
}
