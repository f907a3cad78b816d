import { Agent, request } from 'undici';

/** A constant trickle of requests over fresh and kept connections, until stopped. */
export interface Load {
  /** Ends it; resolves to the number of requests that did not get a 200. */
  stop(): Promise<number>;
}

export function startLoad(port: number, hosts: readonly string[], perSecond: number): Load {
  const kept = new Agent({ connections: 4, pipelining: 1 });
  const fresh = new Agent({ connections: 64, pipelining: 0 });
  const open = new Set<Promise<void>>();
  let failed = 0;
  let sent = 0;
  const send = async (): Promise<void> => {
    const host = hosts[sent++ % hosts.length] ?? '';
    try {
      const dispatcher = sent % 2 === 0 ? kept : fresh;
      const answer = await request(`http://127.0.0.1:${port}/`, { dispatcher, headers: { host } });
      await answer.body.dump();
      if (answer.statusCode !== 200) failed++;
    } catch {
      failed++;
    }
  };
  const timer = setInterval(() => {
    const sending = send().finally(() => open.delete(sending));
    open.add(sending);
  }, 1000 / perSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      await Promise.all([kept.close(), fresh.close()]);
      return failed;
    },
  };
}
