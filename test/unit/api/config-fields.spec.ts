import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../../../src/api/structural-schema.ts';
import { templateConfigSchema } from '../../../src/api/template-config-schema.ts';

/** Fields that no code reads, and why they are there all the same. */
const unread: Readonly<Record<string, string>> = {
  minDeploymentInterval: 'a flag of the agents, which whoever installs them sets from it',
  reloadVerificationTimeout: 'a flag of the agents, which whoever installs them sets from it',
};

/** The program without the schema itself, its comments, and the API server of the sandbox, which reads no configuration. */
function program(): string {
  const folder = path.resolve(import.meta.dirname, '../../../src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/^(api|sandbox)[\\/]/.test(name))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

/** Every name of a field, with a place where it is one. */
function fieldsOf(schema: StructuralSchema, at = ''): readonly (readonly [name: string, place: string])[] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [
      [name, `${at}${name}`] as const,
      ...fieldsOf(inner, `${at}${name}.`),
    ]),
    ...(items === undefined ? [] : fieldsOf(items, `${at}[].`)),
    ...(additionalProperties === undefined ? [] : fieldsOf(additionalProperties, `${at}*.`)),
  ];
}

describe('each field of a configuration', () => {
  const fields = new Map(fieldsOf(templateConfigSchema));
  const code = program();
  const isRead = (name: string): boolean =>
    new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\b\\s*[,}:=]|['"]${name}['"]`).test(code);

  it('is read somewhere, or it is known why not', () => {
    const dead = [...fields].filter(([name]) => !isRead(name)).map(([name]) => name);
    expect(dead.sort()).toEqual(Object.keys(unread).sort());
  });

  it('says so in its description where the controller does not look at it', () => {
    for (const name of Object.keys(unread)) {
      const description = JSON.stringify(templateConfigSchema.properties.dataplane.properties);
      expect(description).toContain(name);
      const text = /"description":"([^"]*)"/.exec(description.slice(description.indexOf(`"${name}"`)))?.[1];
      expect(text).toContain('The controller does not look at it');
    }
  });
});
