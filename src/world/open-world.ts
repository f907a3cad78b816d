import { type Observable, switchMap, take } from 'rxjs';
import type { HttpContentConfig } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { runSlices } from '../lib/run-slices.ts';
import type { Slices } from '../lib/slices.ts';
import { runInSlices, type RunInSlicesOptions } from '../operators/run-in-slices.ts';
import type { World, WorldOptions } from './build-world.ts';
import type { OpenedWorld } from './load-gate.ts';
import type { JoinedMember } from '../streams/http-contents.ts';
import type { ResolvedConfig, StageResult } from './load-report.ts';
import type { HeldGround, ResourceHub } from './resource-hub.ts';
import { templateTexts } from './template-texts.ts';
import { worldInSlices } from './world-in-slices.ts';

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
 * with its paths and selectors, beside it. The work begins after the event loop has had its turn, and pauses for further ones.
 *
 * Loss policy: unsubscribing gives the work up at its next pause, and lets go of the stores.
 */
export function openWorld(
  deps: OpenWorldDeps,
  resolved: ResolvedConfig,
  slices: RunInSlicesOptions,
): Observable<StageResult<OpenedWorld<LiveWorld>>> {
  return slices.pause$.pipe(
    take(1),
    switchMap(() => runInSlices(() => openInSlices(deps, resolved), slices)),
  );
}

function* openInSlices(
  { hub, ...options }: OpenWorldDeps,
  { config, sourceOfTemplate }: ResolvedConfig,
): Slices<StageResult<OpenedWorld<LiveWorld>>> {
  let ground: HeldGround | undefined;
  const pathErrors: string[] = [];
  try {
    ground = hub.hold(config);
  } catch (error) {
    pathErrors.push(codedMessage(error));
  }
  let world: LiveWorld | undefined;
  try {
    world = yield* liveWorldInSlices({ ...options, isPrepared: true }, ground, { config, sourceOfTemplate });
    return { ok: true, value: { world, pathErrors } };
  } catch (error) {
    return { ok: false, errors: templateTexts(error, sourceOfTemplate) };
  } finally {
    if (world === undefined) ground?.release();
  }
}

/**
 * @param ground let go with the world; absent: stores of its own, which nobody fills
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_*`; the ground stays held then
 */
export function buildLiveWorld(
  options: LiveWorldOptions,
  ground: HeldGround | undefined,
  resolved: ResolvedConfig,
): LiveWorld {
  return runSlices(liveWorldInSlices(options, ground, resolved));
}

function* liveWorldInSlices(
  { joinHttp, ...options }: LiveWorldOptions,
  ground: HeldGround | undefined,
  { config, sourceOfTemplate }: ResolvedConfig,
): Slices<LiveWorld> {
  const http = joinHttp?.(config.httpContent);
  let world: World | undefined;
  try {
    world = yield* worldInSlices({ ...options, config, ...(ground && { ground }), ...(http && { http }) });
  } finally {
    if (world === undefined) http?.leave();
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
