import { expect, it } from 'vitest';
import { encodeParts } from '../../../src/fleet/encode-parts.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';

it('pauses every few parts, looks at no more of them meanwhile, and is done once for the same list', () => {
  let looked = 0;
  const content = Buffer.from('pem');
  const parts = Array.from({ length: 1_000 }, (_, at) => ({
    path: `ssl/${at}.pem`,
    get bytes() {
      looked++;
      return [content];
    },
  }));
  const slices = encodeParts(parts);
  let most = 0;
  let all = 0;
  let result = slices.next();
  for (; result.done !== true; result = slices.next()) {
    most = Math.max(most, looked);
    all += looked;
    looked = 0;
  }
  all += looked;
  expect(most).toBe(64);
  expect(all).toBe(1_000);
  expect(runSlices(encodeParts(parts))).toBe(result.value);
  expect(result.value.body.toString().split(`--${result.value.boundary}\r\n`)).toHaveLength(1_001);
});
