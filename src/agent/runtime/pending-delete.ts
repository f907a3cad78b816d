import type { Keyword } from '../../protocol/plan.ts';

/**
 * Something that gets no traffic any more and shall go once nothing uses it: a server in maintenance, an unpublished backend, or a server of such a one.
 */
export type DeleteTarget =
  | {
      readonly kind: 'server';
      readonly backend: string;
      readonly server: string;
      /** The server in the words of a `server_add`; absent: not known, so nothing can be said to equal it. */
      readonly keywords?: readonly Keyword[];
    }
  | {
      readonly kind: 'backend';
      readonly backend: string;
      /** The backend in the words of a `backend_add`; absent: not known. */
      readonly profile?: string;
      readonly mode?: 'http' | 'tcp';
      readonly guid?: string;
    };

/** A deletion that waits, as it outlives the agent. */
export interface PendingDelete {
  readonly target: DeleteTarget;
  /** Until then sessions on the server are left alone; milliseconds of the Unix clock. */
  readonly cutOffAt: number;
}

/** `backend` or `backend/server`: names hold no slash. */
export function deleteKey(target: DeleteTarget): string {
  return target.kind === 'server' ? `${target.backend}/${target.server}` : target.backend;
}

export function deleteCommand(target: DeleteTarget): string {
  return `del ${target.kind} ${deleteKey(target)}`;
}

export type ServerTarget = Extract<DeleteTarget, { kind: 'server' }>;

/** The names of the backends among some targets. */
export function leavingBackends(targets: readonly DeleteTarget[]): ReadonlySet<string> {
  return new Set(targets.flatMap(({ kind, backend }) => (kind === 'backend' ? [backend] : [])));
}

/** Takes a server out of the balancing. */
export function stopText(target: ServerTarget): string {
  return `disable server ${deleteKey(target)}`;
}

/** Whether what waits for its deletion can take the place of what is to be created. What is not known equals nothing. */
export function canRevive(pending: DeleteTarget, created: DeleteTarget): boolean {
  if (deleteKey(pending) !== deleteKey(created)) return false;
  if (pending.kind === 'server' && created.kind === 'server')
    return (
      pending.keywords !== undefined &&
      created.keywords !== undefined &&
      sameServerKeywords(pending.keywords, created.keywords)
    );
  if (pending.kind === 'backend' && created.kind === 'backend')
    return (
      pending.profile !== undefined &&
      pending.profile === created.profile &&
      pending.mode === created.mode &&
      pending.guid === created.guid
    );
  return false;
}

/**
 * Whether a server of these keywords can take the place of that one as it stands: all keywords are equal, but for those that
 * a runtime command sets (`weight`) or that matter only to a server's first moments (`init-state`, `disabled`). Order does not count.
 */
function sameServerKeywords(a: readonly Keyword[], b: readonly Keyword[]): boolean {
  const words = (keywords: readonly Keyword[]) =>
    keywords
      .filter(({ name }) => !passing.has(name))
      .map(({ name, args }) => JSON.stringify([name, ...args]))
      .sort()
      .join('\n');
  return words(a) === words(b);
}

const passing: ReadonlySet<string> = new Set(['weight', 'init-state', 'disabled']);
