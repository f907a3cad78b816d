import { type Observable, defer, of, switchMap } from 'rxjs';
import type { HttpContentConfig } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { type World, type WorldOptions, buildWorld } from './build-world.ts';
import type { OpenedWorld } from './load-gate.ts';
import type { JoinedMember } from '../streams/http-contents.ts';
import type { ResolvedConfig, StageResult } from './load-report.ts';
import type { HeldGround, ResourceHub } from './resource-hub.ts';
import { templateTexts } from './template-texts.ts';

/** A world on shared ground. */
export interface LiveWorld extends World {
  /** By name in `watchedResources`. */
  readonly tokens: HeldGround['tokens'];
  readonly sourceOfTemplate: ResolvedConfig['sourceOfTemplate'];
  readonly http?: JoinedMember;
}

export interface LiveWorldOptions extends Omit<WorldOptions, 'config' | 'ground' | 'http'> {
  /** The HTTP content of a new configuration. Absent: there is none. */
  readonly joinHttp?: (policy: HttpContentConfig) => JoinedMember;
}

export interface OpenWorldDeps extends LiveWorldOptions {
  readonly hub: ResourceHub;
}

/**
 * Compiles a configuration onto the stores that are there. What is wrong with its templates is an error of the result; what is wrong
 * with its paths and selectors, beside it. The work begins after the event loop has had its turn.
 */
export function openWorld(
  deps: OpenWorldDeps,
  resolved: ResolvedConfig,
  pause$: Observable<unknown>,
): Observable<StageResult<OpenedWorld<LiveWorld>>> {
  return pause$.pipe(switchMap(() => defer(() => of(openNow(deps, resolved)))));
}

function openNow(
  { hub, ...options }: OpenWorldDeps,
  { config, sourceOfTemplate }: ResolvedConfig,
): StageResult<OpenedWorld<LiveWorld>> {
  let ground: HeldGround | undefined;
  const pathErrors: string[] = [];
  try {
    ground = hub.hold(config);
  } catch (error) {
    pathErrors.push(codedMessage(error));
  }
  try {
    const world = buildLiveWorld(options, ground, { config, sourceOfTemplate });
    return { ok: true, value: { world, pathErrors } };
  } catch (error) {
    ground?.release();
    return { ok: false, errors: templateTexts(error, sourceOfTemplate) };
  }
}

/**
 * @param ground let go with the world; absent: stores of its own, which nobody fills
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_*`; the ground stays held then
 */
export function buildLiveWorld(
  { joinHttp, ...options }: LiveWorldOptions,
  ground: HeldGround | undefined,
  { config, sourceOfTemplate }: ResolvedConfig,
): LiveWorld {
  const http = joinHttp?.(config.httpContent);
  let world: World;
  try {
    world = buildWorld({ ...options, config, ...(ground && { ground }), ...(http && { http }) });
  } catch (error) {
    http?.leave();
    throw error;
  }
  return {
    ...world,
    ...(http && { http }),
    tokens: ground?.tokens ?? new Map(),
    sourceOfTemplate,
    dispose: () => {
      world.dispose();
      ground?.release();
    },
  };
}

function codedMessage(error: unknown): string {
  if (error instanceof CodedError) return error.message;
  throw error;
}
