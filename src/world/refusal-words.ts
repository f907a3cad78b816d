import type { Finding, Verdict } from '../gate/verdict.ts';
import { formatOwner } from '../lib/owner.ts';

/**
 * A verdict that is no acceptance, for people: one text for each thing that is wrong, with the template that printed it and the
 * object that it is about.
 */
export function refusalWords(
  verdict: Verdict,
  sourceOfTemplate: (template: string) => string,
): readonly string[] {
  switch (verdict.kind) {
    case 'accepted':
      return [];
    case 'unchecked':
      return [verdict.message];
    case 'refused':
      return verdict.findings.map((finding) => findingWords(finding, sourceOfTemplate));
  }
}

function findingWords(
  { message, template, owner, validator, file, line }: Finding,
  sourceOfTemplate: (template: string) => string,
): string {
  const place = /^(.*):(\d+):(\d+)$/.exec(template ?? '');
  const words = [
    place === null ? template : `${sourceOfTemplate(place[1] ?? '')}:${place[2] ?? ''}:${place[3] ?? ''}`,
    owner === undefined ? undefined : formatOwner(owner),
    file === undefined ? undefined : line === undefined ? file : `${file}:${line}`,
  ].filter((word) => word !== undefined);
  const about = words.length === 0 ? '' : ` (${words.join(', ')})`;
  return `${validator === undefined ? '' : `${validator}: `}${message}${about}`;
}
