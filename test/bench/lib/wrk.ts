import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export interface WrkRun {
  readonly requests: number;
  readonly perSecond: number;
}

export interface WrkLoad {
  /** One run against the port; throws if a request failed or was answered with anything but 2xx or 3xx. */
  readonly run: (port: number, seconds: number) => Promise<WrkRun>;
}

/** The load generator `wrk` (Debian has it as a package): one thread, requests for all of `hosts` in a fixed, scattered order. */
export async function wrkLoad(
  folder: string,
  what: { readonly hosts: readonly string[]; readonly target: string; readonly connections: number },
): Promise<WrkLoad> {
  const script = path.join(folder, 'requests.lua');
  await writeFile(path.join(folder, 'hosts.txt'), `${what.hosts.join('\n')}\n`);
  await writeFile(script, requestsOf(path.join(folder, 'hosts.txt'), what.target));
  return {
    run: async (port, seconds) => {
      const options = ['-t1', `-c${what.connections}`, `-d${seconds}s`, '-s', script];
      const { stdout } = await promisify(execFile)('wrk', [...options, `http://127.0.0.1:${port}`]);
      if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not all requests succeeded:\n${stdout}`);
      const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
      const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
      if (!(requests > 0 && perSecond > 0)) throw new Error(`wrk says nothing of its requests:\n${stdout}`);
      return { requests, perSecond };
    },
  };
}

/** Texts of requests are made once; one of them costs wrk an index. 7,919 is a prime: all hosts come up, neighbours never in a row. */
const requestsOf = (hosts: string, target: string) => `
local requests = {}
local count = 0
init = function()
  for host in io.lines(${JSON.stringify(hosts)}) do
    count = count + 1
    requests[count] = wrk.format("GET", ${JSON.stringify(target)}, {
      Host = host, Accept = "*/*", ["Accept-Encoding"] = "gzip, deflate, br", ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) bench",
    })
  end
end
local last = 0
request = function()
  last = (last + 7919) % count
  return requests[last + 1]
end
`;
