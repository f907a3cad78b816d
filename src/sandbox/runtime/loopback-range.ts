import { once } from 'node:events';
import net from 'node:net';
import { CodedError } from '../../lib/coded-error.ts';

/** Addresses 127.N.x.y of one sandbox: no other sandbox on the machine has the same N while this one is held. */
export interface LoopbackRange {
  /** An address that nobody of this sandbox holds. Freed ones come back last. */
  readonly take: () => string;
  readonly give: (address: string) => void;
  readonly release: () => Promise<void>;
}

const claimPort = 5554;
/** Per range: x from 0 to 249, y from 1 to 250; the claim itself listens on 127.N.255.254. */
const perBlock = 250;
const size = perBlock * perBlock;

/**
 * Claims a range by listening on one address of it, so that the kernel lets go of it however the process ends.
 *
 * @param random in [0, 1): where the search starts
 * @throws CodedError `HAPTIC_ERR_SANDBOX_ADDRESSES` when every range is taken
 */
export async function claimLoopbackRange(random: () => number = Math.random): Promise<LoopbackRange> {
  const first = Math.floor(random() * 253);
  for (let i = 0; i < 253; i++) {
    const prefix = `127.${2 + ((first + i) % 253)}`;
    const claim = await listen(`${prefix}.255.254`);
    if (claim !== undefined) return rangeOf(prefix, claim);
  }
  throw new CodedError(
    'HAPTIC_ERR_SANDBOX_ADDRESSES',
    `no loopback range is free: port ${claimPort} is taken on every 127.N.255.254; stop another sandbox`,
  );
}

function rangeOf(prefix: string, claim: net.Server): LoopbackRange {
  const freed: string[] = [];
  let next = 0;
  return {
    take: () => {
      if (next >= size) {
        const again = freed.shift();
        if (again !== undefined) return again;
        throw new CodedError(
          'HAPTIC_ERR_SANDBOX_ADDRESSES',
          `all ${size} addresses of ${prefix}.0.0/16 are in use`,
        );
      }
      const n = next++;
      return `${prefix}.${Math.floor(n / perBlock)}.${1 + (n % perBlock)}`;
    },
    give: (address) => freed.push(address),
    release: async () => {
      claim.close();
      await once(claim, 'close');
    },
  };
}

async function listen(host: string): Promise<net.Server | undefined> {
  const server = net.createServer((socket) => socket.destroy());
  server.listen(claimPort, host);
  server.unref();
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
