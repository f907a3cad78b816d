import { firstValueFrom } from 'rxjs';
import type { TemplateConfig } from '../api/template-config.ts';
import { checkRootsIn } from '../gate/check-root.ts';
import { createGate, defaultGateLimits } from '../gate/create-gate.ts';
import { runProcess } from '../gate/run-process.ts';
import type { TestDeps } from './run-test.ts';
import { withTraffic } from './traffic/with-traffic.ts';

/** The HAProxy that tests ask. */
export interface HaproxyAtHand {
  /** Path of the binary, or its name on PATH. */
  readonly path: string;
  /** `3.4.7-1`. */
  readonly version: string;
}

export interface TestDepsOptions {
  readonly config: TemplateConfig;
  readonly haproxy?: HaproxyAtHand;
  /** Folder for files of HAProxy, each render in one of its own below. */
  readonly folder: string;
  /** PATH of the HAProxy's environment, which has nothing else in it. */
  readonly path?: string;
  /** Told of a process of HAProxy that runs, and when it has ended. */
  readonly onProcess: (pid: number, runs: boolean) => void;
}

/** What tests need, of real processes and folders. Validators of the configuration are not asked: they stand beside a controller. */
export function testDeps({ config, haproxy, folder, path, onProcess }: TestDepsOptions): TestDeps {
  const now = (): number => performance.now();
  if (haproxy === undefined) return { config, now };
  const withRoot = checkRootsIn(folder);
  const env = path === undefined ? undefined : { PATH: path };
  const gate = createGate({
    haproxy: haproxy.path,
    ...(env && { env }),
    withRoot,
    run: runProcess,
    limits: defaultGateLimits,
  });
  return {
    config,
    now,
    haproxy: {
      version: haproxy.version,
      check: (plan) => firstValueFrom(gate.check(plan)),
      withTraffic: (plan, use) =>
        withTraffic({ haproxy: haproxy.path, env: env ?? {}, withRoot, onProcess }, plan, use),
    },
  };
}
