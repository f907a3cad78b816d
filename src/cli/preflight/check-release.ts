import { isRecord } from '../../lib/is-record.ts';
import type { Finding } from '../finding.ts';
import type { ChartFiles } from './chart-files.ts';
import { compareVersions } from '../../lib/compare-versions.ts';
import type { FoundRelease } from './installed-release.ts';

const check = 'release';

/** What is installed under the name, what it would be after, and whether that step can be made. */
export function checkRelease(
  found: FoundRelease,
  {
    chart,
    given,
    release,
    namespace,
  }: {
    readonly chart?: ChartFiles;
    readonly given: Readonly<Record<string, unknown>>;
    readonly release: string;
    readonly namespace: string;
  },
): readonly Finding[] {
  if (found.kind === 'unknown')
    return [{ check, status: 'skipped', message: `what is installed cannot be read: ${found.reason}` }];
  const name = `${namespace}/${release}`;
  if (found.kind === 'none')
    return [{ check, status: 'ok', message: `${name} is not installed: this is an install` }];
  const { newest, deployed = newest } = found;
  const findings: Finding[] = [];
  if (newest.status.startsWith('pending-'))
    findings.push({
      check,
      status: 'failed',
      message: `${name} is in the middle of something: revision ${newest.revision} is ${newest.status}`,
      advice: `wait for it; if nobody is at it any more, helm rollback ${release} -n ${namespace}`,
    });
  else if (newest.status === 'failed')
    findings.push({
      check,
      status: 'warning',
      message: `revision ${newest.revision} of ${name} failed`,
      advice: 'an upgrade goes on from there; helm history tells which revision was good',
    });
  if (chart !== undefined && deployed.chartName !== chart.name)
    findings.push({
      check,
      status: 'failed',
      message: `${name} is a release of chart ${deployed.chartName}, not of ${chart.name}`,
      advice: 'take another release name, or another namespace',
    });
  else findings.push(...stepOf(name, deployed.chartVersion, chart?.version));
  const forgotten = Object.keys(flat(deployed.values)).filter((path) => !(path in flat(given)));
  if (forgotten.length > 0)
    findings.push({
      check,
      status: 'warning',
      message: `${name} was installed with values that are not given now: ${forgotten.slice(0, 10).join(', ')}${forgotten.length > 10 ? ', …' : ''}`,
      advice:
        'they would go back to the defaults of the chart: give the same files, or use --reset-then-reuse-values',
    });
  return findings;
}

function stepOf(name: string, from: string, to: string | undefined): readonly Finding[] {
  if (to === undefined) return [{ check, status: 'ok', message: `${name} is installed with chart ${from}` }];
  const order = compareVersions(to, from);
  if (order === 0) return [{ check, status: 'ok', message: `${name} stays at chart ${to}` }];
  if (order < 0)
    return [
      {
        check,
        status: 'warning',
        message: `${name} would go back from chart ${from} to ${to}`,
        advice:
          'helm rollback is the way back; CRDs stay as they are, and the older program must know their fields',
      },
    ];
  const skipped = skippedMinors(from, to);
  return skipped > 0
    ? [
        {
          check,
          status: 'warning',
          message: `${name} would go from chart ${from} to ${to}, over ${skipped} minor versions`,
          advice: 'upgrade by one minor version at a time: each is tested with the one before it',
        },
      ]
    : [{ check, status: 'ok', message: `${name} goes from chart ${from} to ${to}` }];
}

/** Minor versions between two; across a major one, those of the new major. */
function skippedMinors(from: string, to: string): number {
  const [fromMajor = 0, fromMinor = 0] = from.split('.').map(Number);
  const [toMajor = 0, toMinor = 0] = to.split('.').map(Number);
  return toMajor === fromMajor ? Math.max(0, toMinor - fromMinor - 1) : toMinor;
}

function flat(values: Readonly<Record<string, unknown>>, path = ''): Readonly<Record<string, true>> {
  const paths: Record<string, true> = {};
  for (const [name, value] of Object.entries(values)) {
    const below = path === '' ? name : `${path}.${name}`;
    if (isRecord(value) && Object.keys(value).length > 0) Object.assign(paths, flat(value, below));
    else paths[below] = true;
  }
  return paths;
}
