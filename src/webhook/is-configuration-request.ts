import type { AdmissionRequest } from './admission-request.ts';
import { configurationGroup, configurationResources } from './webhook-configuration.ts';

/** Whether a request is about one of the kinds by which the product itself is configured. */
export function isConfigurationRequest({ group, resource }: AdmissionRequest): boolean {
  return group === configurationGroup && configurationResources.some((own) => own === resource);
}
