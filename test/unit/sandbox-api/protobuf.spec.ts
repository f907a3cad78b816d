import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../src/sandbox/api/api-status.ts';
import { builtinMessage, builtinSchema } from '../../../src/sandbox/api/builtin/builtin-schemas.ts';
import { decodeProtobuf, readProtobufFrame } from '../../../src/sandbox/api/protobuf.ts';

type Part = readonly [number: number, value: string | Buffer | number | bigint];

/** Encodes a message: text and bytes with their length, numbers as varints. */
function message(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map(([number, value]) => {
      if (typeof value === 'number' || typeof value === 'bigint')
        return Buffer.concat([varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, BigInt(value)))]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes]);
    }),
  );
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

const code = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return statusOf(error).code;
  }
  return 0;
};

describe('the frame', () => {
  it('is what kubectl sends for a ConfigMap', () => {
    const sent = Buffer.from(
      '6b38730' +
        '00a0f0a02763112' +
        '09436f6e6669674d6170121b0a110a016112001a0022002a003200380042001206' +
        '0a0178120131' +
        '1a002200',
      'hex',
    );
    const { apiVersion, kind, raw } = readProtobufFrame(sent);
    expect([apiVersion, kind]).toEqual(['v1', 'ConfigMap']);
    expect(decodeProtobuf(raw, builtinSchema('core.ConfigMap'))).toEqual({
      metadata: { name: 'a' },
      data: { x: '1' },
    });
  });

  it('is refused when it is none or cut short', () => {
    expect(code(() => readProtobufFrame(Buffer.from('{"kind":"Pod"}')))).toBe(400);
    expect(code(() => readProtobufFrame(Buffer.from('k8s\0\x0a\x7f')))).toBe(400);
  });
});

describe('messages', () => {
  it('give inlined messages their place in JSON', () => {
    const path = message(
      [1, '/a'],
      [3, 'Prefix'],
      [2, message([4, message([1, 'web'], [2, message([2, 80])])])],
    );
    const rule = message([1, 'a.example.com'], [2, message([1, message([1, path])])]);
    expect(decodeProtobuf(message([2, message([3, rule])]), builtinSchema('net.Ingress'))).toEqual({
      spec: {
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [
                {
                  path: '/a',
                  pathType: 'Prefix',
                  backend: { service: { name: 'web', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    });
  });

  it('leave out zeros but for fields whose zero means something', () => {
    const spec = message([1, 0], [5, 0], [7, 0]);
    expect(decodeProtobuf(message([2, spec]), builtinSchema('apps.Deployment'))).toEqual({
      spec: { replicas: 0 },
    });
    const conditions = message([1, 0], [2, 1]);
    expect(decodeProtobuf(conditions, builtinMessage('disc.EndpointConditions'))).toEqual({
      ready: false,
      serving: true,
    });
  });

  it('read numbers or strings, quantities, times, bytes and negative numbers', () => {
    const port = (target: Buffer) =>
      decodeProtobuf(message([3, 80], [4, target]), builtinMessage('core.ServicePort'));
    expect(port(message([1, 0], [2, 8080], [3, '']))).toEqual({ port: 80, targetPort: 8080 });
    expect(port(message([1, 1], [2, 0], [3, 'http']))).toEqual({ port: 80, targetPort: 'http' });
    const limits = message([1, message([1, 'cpu'], [2, message([1, '500m'])])]);
    expect(decodeProtobuf(limits, builtinMessage('core.ResourceRequirements'))).toEqual({
      limits: { cpu: '500m' },
    });
    const lease = message([
      2,
      message([1, 'me'], [2, -5], [4, message([1, 1_900_000_000], [2, 123_456_000])]),
    ]);
    expect(decodeProtobuf(lease, builtinSchema('coord.Lease'))).toEqual({
      spec: { holderIdentity: 'me', leaseDurationSeconds: -5, renewTime: '2030-03-17T17:46:40.123456Z' },
    });
    const secret = message([2, message([1, 'k'], [2, Buffer.from([0, 255])])]);
    expect(decodeProtobuf(secret, builtinSchema('core.Secret'))).toEqual({ data: { k: 'AP8=' } });
  });

  it('skip numbers that the schema does not know', () => {
    expect(decodeProtobuf(message([1, 'a'], [999, 'x']), builtinMessage('net.IngressRule'))).toEqual({
      host: 'a',
    });
  });

  it('are refused where the schema cannot say what is inside', () => {
    const volume = message([1, 'v'], [2, message([29, message([1, 'x'])])]);
    expect(code(() => decodeProtobuf(volume, builtinMessage('core.Volume')))).toBe(415);
  });

  it('answer garbage with a 4xx and never hang', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect([0, 400, 415]).toContain(
          code(() => decodeProtobuf(Buffer.from(bytes), builtinSchema('core.Pod'))),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
