import type { Finding } from '../gate/verdict.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';

/** HAProxy's words about an object, without the places that only exist in the check, and with what they are about. */
export function findingWords(finding: Finding, subject: Owner): string {
  const { message, section, owner, template, mapKey, file, validator } = finding;
  const said = message
    .replace(/^\s*parsing \[[^\]]*\]\s*:\s*/, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
  const where = [
    ...(section === undefined ? [] : [`${section.kind} ${section.name}`]),
    ...(mapKey === undefined ? [] : [`entry ${mapKey} of ${file ?? 'a map'}`]),
    ...(template === undefined ? [] : [`printed by ${template}`]),
  ].join(', ');
  const other =
    owner !== undefined && formatOwner(owner) !== formatOwner(subject)
      ? `, which is of ${formatOwner(owner)}`
      : '';
  const place = where === '' && other === '' ? '' : ` (${where}${other})`;
  return `${validator ?? 'HAProxy'} refuses it: ${said}${place}`;
}
