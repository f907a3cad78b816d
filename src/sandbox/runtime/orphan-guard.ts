import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends process groups and removes a folder when this process is gone, however it ended. */
export interface OrphanGuard {
  /** Watches over the process group led by `pid`. */
  readonly add: (pid: number) => void;
  readonly remove: (pid: number) => void;
  /** Ends every group still watched over, removes the folder, and ends the guard. */
  readonly stop: () => Promise<void>;
}

// The pipe closes when its only writer is gone: no polling, and SIGKILL of the writer is seen too.
const script = `
pids=
while read -r op pid; do
  case $op in
    add) pids="$pids $pid" ;;
    remove) rest=; for p in $pids; do [ "$p" = "$pid" ] || rest="$rest $p"; done; pids=$rest ;;
  esac
done
for p in $pids; do kill -s TERM -- "-$p" 2>/dev/null; done
for wait in 1 2 3 4 5 6 7 8 9 10; do
  left=
  for p in $pids; do kill -s 0 -- "-$p" 2>/dev/null && left=1; done
  [ -z "$left" ] && break
  sleep 0.1
done
for p in $pids; do kill -s KILL -- "-$p" 2>/dev/null; done
rm -rf -- "$1"
`;

/**
 * Starts the guard: a small shell in a session of its own, so that neither a Ctrl-C in the terminal nor the death of this
 * process ends it before its work is done.
 */
export function startOrphanGuard(folder: string): OrphanGuard {
  const guard = spawn('/bin/sh', ['-c', script, 'sh', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // A guard that was killed by hand must not take the sandbox along with a broken pipe.
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return {
    add: (pid) => guard.stdin.write(`add ${pid}\n`),
    remove: (pid) => guard.stdin.write(`remove ${pid}\n`),
    stop: async () => {
      if (guard.exitCode !== null || guard.signalCode !== null) return;
      guard.ref();
      guard.stdin.end();
      await once(guard, 'exit');
    },
  };
}
