import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { issueCertificate } from '../../../fixtures/certificates.ts';
import { secret } from '../../../fixtures/kube-objects.ts';
import { createTlsWorld } from './tls-world.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('docs/tls.md');

/** First cells of the rows of the table whose header begins so, without backticks. */
function column(header: string): string[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header} `));
  const rows = lines.slice(start + 2, lines.indexOf('', start));
  return rows.map((row) => (row.split('|')[1] ?? '').trim().replaceAll('`', ''));
}

describe('docs/tls.md', () => {
  it('has examples that are served without a complaint', async () => {
    const [single, pair, ...others] = [...page.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text]) =>
      parseAllDocuments(text ?? '').map((document) => document.toJS() as KubeObject),
    );
    // These are tried with traffic: test/docs/tls.spec.ts.
    expect(others.map(({ metadata }) => metadata.name)).toEqual(['admin', 'vault', 'ledger']);
    const secretOf = async (name: string, keys: 'rsa' | 'ecdsa') => {
      const { cert, key } = await issueCertificate({ keys });
      return secret({ name, data: { 'tls.crt': cert, 'tls.key': key } });
    };
    const world = createTlsWorld();
    world.put(await secretOf('shop-tls', 'ecdsa'), single!);
    expect(world.lines()).toEqual(['shop_shop-tls.pem shop.example.com']);
    world.put(await secretOf('shop-rsa', 'rsa'), await secretOf('shop-ecdsa', 'ecdsa'), pair!);
    expect(world.lines()).toEqual([
      'shop_shop-ecdsa.pem shop.example.com',
      'shop_shop-rsa.pem shop.example.com',
    ]);
    expect(world.problemLines()).toEqual([]);
  });

  it('lists every reason, and none that is not reported', () => {
    const files = [
      ...readdirSync(path.join(root, 'src/projections/tls')).map((file) => `tls/${file}`),
      'ingress/parse-ingress-tls.ts',
      'list-field.ts',
    ];
    const reasons = files
      .flatMap((file) => [...read(`src/projections/${file}`).matchAll(/'([A-Z][a-z]+(?:[A-Z][a-z]+)+)'/g)])
      .map((match) => match[1] ?? '');
    const library = read('charts/haptic/libraries/ssl.yaml');
    reasons.push(...[...library.matchAll(/reason="(\w+)"/g)].map((match) => match[1] ?? ''));
    expect(column('reason')).toEqual([...new Set(reasons)].sort());
  });

  it('lists every setting of the ssl library', () => {
    const library = parse(read('charts/haptic/libraries/ssl.yaml')) as {
      templatingSettings: { extraContext: Record<string, unknown> };
    };
    const settings = Object.entries(library.templatingSettings.extraContext).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.keys(value).map((name) => `${key}.${name}`)
        : [key],
    );
    const listed = column('key').flatMap((cell) => {
      const [first = '', ...more] = cell.split(', ');
      return [first, ...more.map((name) => `${first.split('.')[0] ?? ''}${name}`)];
    });
    expect(listed.sort()).toEqual(settings.sort());
  });
});
