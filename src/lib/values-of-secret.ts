import { isRecord } from './is-record.ts';

/** The texts in a Secret: values as they are and as the API writes them. */
export function valuesOfSecret(secret: Readonly<Record<string, unknown>>): readonly string[] {
  const entries = (field: string): readonly string[] => {
    const found = secret[field];
    return isRecord(found) ? Object.values(found).filter((value) => typeof value === 'string') : [];
  };
  const data = entries('data');
  return [
    ...data,
    ...data.map((value) => Buffer.from(value, 'base64').toString('utf8')),
    ...entries('stringData'),
  ];
}
