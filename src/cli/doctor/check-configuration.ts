import { CodedError } from '../../lib/coded-error.ts';
import { isRecord } from '../../lib/is-record.ts';
import { buildWorld } from '../../world/build-world.ts';
import { newestConstants } from '../newest-constants.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';

const check = 'configuration';

/** Is the configuration right, do its templates compile, and what did the controller say of it? */
export function checkConfiguration(deps: DoctorDeps): readonly Finding[] {
  const { config, configObject, configFailure } = deps;
  if (config === undefined)
    return [
      {
        check,
        status: 'failed',
        message: configFailure ?? 'there is none',
        advice: 'haptic config view tells the same; --crd-name and --namespace say which is meant',
      },
    ];
  try {
    buildWorld({ config, constants: newestConstants() }).dispose();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return [
      {
        check,
        status: 'failed',
        message: error.message,
        advice: 'correct the template; haptic validate tries it without a cluster',
      },
    ];
  }
  const count = Object.keys(config.watchedResources).length;
  const message = `${configObject?.metadata.name ?? 'the one of the files'} can be used; it watches ${count} resources`;
  return [
    { check, status: 'ok', message },
    ...(configObject === undefined ? [] : statusFindings(configObject)),
  ];
}

function statusFindings(
  object: Readonly<Record<string, unknown>> & { readonly metadata: { readonly generation?: number } },
): readonly Finding[] {
  const { status } = object;
  const listed: unknown = isRecord(status) ? status['conditions'] : undefined;
  const conditions = Array.isArray(listed) ? listed.filter(isRecord) : [];
  if (conditions.length === 0)
    return [
      {
        check: 'status',
        status: 'warning',
        message: 'no controller has written a status on the configuration',
        advice: 'see whether a controller runs with --crd-name and --namespace of it',
      },
    ];
  return conditions.map((condition): Finding => {
    const text = (field: string) => {
      const value = condition[field];
      return typeof value === 'string' ? value : '';
    };
    const about = `${text('type')} is ${text('status')}, ${text('reason')}: ${text('message')}`;
    const { generation } = object.metadata;
    const observed = condition['observedGeneration'];
    if (typeof observed === 'number' && generation !== undefined && observed < generation)
      return {
        check: 'status',
        status: 'warning',
        message: `${about} (of generation ${observed}, not ${generation})`,
        advice: 'the controller has not looked at the newest change yet; see its log if that lasts',
      };
    return condition['status'] === 'False' && text('type') === 'Validated'
      ? {
          check: 'status',
          status: 'failed',
          message: about,
          advice: 'correct what it names; what was good before stays in effect',
        }
      : { check: 'status', status: 'ok', message: about };
  });
}
