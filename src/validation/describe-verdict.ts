import type { Finding, Verdict } from '../gate/verdict.ts';
import { formatOwner } from '../lib/owner.ts';

/** Why HAProxy does not take a render, with what each line is about; undefined if it does. */
export function describeVerdict(verdict: Verdict): string | undefined {
  if (verdict.kind === 'accepted') return undefined;
  if (verdict.kind === 'unchecked') return verdict.message;
  return verdict.findings.map(describeFinding).join('\n');
}

function describeFinding({ message, file, line, owner, template, section, validator }: Finding): string {
  const where = file === undefined ? [] : [line === undefined ? file : `${file}:${line}`];
  const about = [
    ...(validator === undefined ? [] : [`says ${validator}`]),
    ...(section === undefined || section.name === '' ? [] : [`in ${section.kind} ${section.name}`]),
    ...(template === undefined ? [] : [`printed by ${template}`]),
    ...(owner === undefined ? [] : [`for ${formatOwner(owner)}`]),
  ];
  const text = [...where, message].join(': ');
  return about.length === 0 ? text : `${text} (${about.join(', ')})`;
}
