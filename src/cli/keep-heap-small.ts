import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * For a process that stands in every pod, to be called before its code is loaded. The young generation stays at its first size, which an
 * agent's short-lived objects never fill; and code is not optimised beyond V8's baseline compiler, since an agent's time goes into copies,
 * digests and system calls, while the optimising compilers alone make 10 MiB resident. Returns what gives memory back that is garbage
 * after start-up, when most of the code was compiled and thrown away: 20 ms.
 */
export function keepHeapSmall(): () => void {
  for (const flag of ['--semi-space-growth-factor=1', '--no-opt', '--no-maglev']) v8.setFlagsFromString(flag);
  return () => {
    // The flag makes new contexts have `gc`; this program's own never gets one.
    v8.setFlagsFromString('--expose-gc');
    const collect = vm.runInNewContext('gc') as (options: object) => void;
    v8.setFlagsFromString('--no-expose-gc');
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  };
}
