import { render } from 'lit-html';
import {
  BehaviorSubject,
  Subject,
  type Subscription,
  animationFrames,
  auditTime,
  catchError,
  debounce,
  from,
  map,
  merge,
  of,
  scan,
  switchMap,
  timer,
} from 'rxjs';
import { ask } from './ask.ts';
import { connect } from './connect.ts';
import { drawStreams, heightOf, marbleAt, nextMarble, placeMarbles, shownTaps } from './draw-streams.ts';
import type { PageActions } from './page-actions.ts';
import { type Action, type PageState, initialState, reduce, spans, views } from './page-state.ts';
import { pageView, planOf } from './page-view.ts';
import type { TapEvent } from './tap-event.ts';

const root = document.getElementById('page') ?? document.body;
const did$ = new Subject<Action>();
const state$ = new BehaviorSubject<PageState>(initialState);
/** What is asked of the controller: the newest question counts. */
const search$ = new Subject<string>();
const explain$ = new Subject<string>();
const chain$ = new Subject<TapEvent>();

const failure = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const tapNames$ = from(ask<{ taps: readonly string[] }>('taps')).pipe(map(({ taps }) => inOrder(taps)));
const answers$ = merge(
  tapNames$.pipe(map((taps): Action => ({ kind: 'taps', taps }))),
  tapNames$.pipe(
    switchMap((taps) => connect(taps)),
    map((news): Action => ({ kind: 'news', news })),
  ),
  search$.pipe(
    debounce(() => timer(150)),
    switchMap((text) =>
      from(ask<{ objects: readonly string[] }>(`objects?q=${encodeURIComponent(text)}`)).pipe(
        catchError(() => of({ objects: [] })),
      ),
    ),
    map(({ objects }): Action => ({ kind: 'objects', objects })),
  ),
  explain$.pipe(
    switchMap((object) =>
      merge(
        of<Action>({ kind: 'explained', answer: { question: object } }),
        from(explained(object)).pipe(
          map((value): Action => ({ kind: 'explained', answer: { question: object, value } })),
          catchError((error: unknown) =>
            of<Action>({ kind: 'explained', answer: { question: object, error: failure(error) } }),
          ),
        ),
      ),
    ),
  ),
  chain$.pipe(
    switchMap((event) =>
      merge(
        from<Action[]>([
          { kind: 'select', event },
          { kind: 'chain', answer: { question: planOf(event) } },
        ]),
        from(chainOf(planOf(event))).pipe(
          map((value): Action => ({ kind: 'chain', answer: { question: planOf(event), value } })),
          catchError((error: unknown) =>
            of<Action>({ kind: 'chain', answer: { question: planOf(event), error: failure(error) } }),
          ),
        ),
      ),
    ),
  ),
);

async function explained(object: string): Promise<unknown> {
  const value = await ask<object>(`explain?object=${encodeURIComponent(object)}`);
  const { events } = await ask<{
    events: readonly { objects?: readonly string[]; correlationId?: string }[];
  }>('events?limit=1000');
  const name = object.slice(object.indexOf(' ') + 1);
  const own = new Set(
    events.flatMap(({ objects, correlationId }) =>
      objects?.some((changed) => changed.endsWith(name)) === true && correlationId !== undefined
        ? [correlationId]
        : [],
    ),
  );
  return {
    ...value,
    events: events
      .filter(({ correlationId }) => correlationId !== undefined && own.has(correlationId))
      .slice(-50),
  };
}

/** All that belongs together with a plan, from the change to the acknowledgements. */
async function chainOf(planId: string): Promise<readonly unknown[]> {
  const { events } = await ask<{ events: readonly { planId?: string; correlationId?: string }[] }>(
    'events?limit=1000',
  );
  const about = events.findLast((event) => event.planId === planId);
  return about === undefined
    ? []
    : events.filter(({ correlationId }) => correlationId === about.correlationId);
}

/** As the pipeline has them; what is watched comes first, and what nobody knows last. */
function inOrder(taps: readonly string[]): readonly string[] {
  const known = [
    'config.load',
    'resources',
    'trace',
    'renders',
    'bundles',
    'verdicts',
    'trials',
    'quarantine',
    'latch',
  ];
  const later = ['leadership', 'fleet', 'pods', 'deliveries', 'deployments'];
  const order = [...known, ...later];
  const rank = (tap: string): number => {
    const at = order.findIndex((name) => tap === name || tap.startsWith(`${name}.`));
    return at < 0 ? order.length : at;
  };
  return taps.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const actions: PageActions = {
  show: (view) => did$.next({ kind: 'view', view }),
  toggle: (tap) => did$.next({ kind: 'toggle', tap }),
  pause: () =>
    did$.next({ kind: 'pause', at: state$.value.pausedAt === undefined ? serverNow() : undefined }),
  zoom: (by) => {
    const at = spans.findIndex((span) => span === state$.value.span);
    did$.next({ kind: 'span', span: spans[Math.min(spans.length - 1, Math.max(0, at + by))] ?? 60_000 });
  },
  filter: (text) => did$.next({ kind: 'filter', text }),
  select: (event) => did$.next({ kind: 'select', event }),
  search: (text) => {
    did$.next({ kind: 'search', text });
    search$.next(text);
  },
  explainObject: (object) => {
    did$.next({ kind: 'view', view: 'explain' });
    did$.next({ kind: 'search', text: object });
    explain$.next(object);
  },
  explainReload: (event) => chain$.next(event),
};

/** The controller's clock, as its values tell it: the browser's may be another. */
let clockOffset = 0;
function serverNow(): number {
  return Date.now() + clockOffset;
}

function draw(): void {
  const canvas = document.getElementById('streams');
  if (!(canvas instanceof HTMLCanvasElement) || state$.value.view !== 'streams') return;
  const state = state$.value;
  const width = canvas.parentElement?.clientWidth ?? 800;
  const height = heightOf(shownTaps(state).length);
  const scale = window.devicePixelRatio;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  drawStreams(context, state, placeMarbles(state, width, serverNow()), { width, height });
}

function onKey(event: KeyboardEvent): void {
  const target = event.target;
  const isTyping = target instanceof HTMLInputElement && target.type === 'search';
  if (event.key === 'Escape') actions.select(undefined);
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const view = views[Number(event.key) - 1];
  if (view !== undefined) actions.show(view);
  else if (event.key === 'p') actions.pause();
  else if (event.key === '+' || event.key === '=') actions.zoom(-1);
  else if (event.key === '-') actions.zoom(1);
  else if (event.key === '/') {
    document.getElementById(state$.value.view === 'explain' ? 'object' : 'filter')?.focus();
    event.preventDefault();
  } else if (target instanceof HTMLCanvasElement) onCanvasKey(event, target);
}

function onCanvasKey(event: KeyboardEvent, canvas: HTMLCanvasElement): void {
  const { key } = event;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight' && key !== 'ArrowUp' && key !== 'ArrowDown') return;
  event.preventDefault();
  const marbles = placeMarbles(state$.value, canvas.clientWidth, serverNow());
  const next = nextMarble(marbles, state$.value.selected, key);
  if (next !== undefined) actions.select(next.event);
}

function onClick(event: MouseEvent): void {
  const { target } = event;
  if (!(target instanceof HTMLCanvasElement)) return;
  const marbles = placeMarbles(state$.value, target.clientWidth, serverNow());
  const found = marbleAt(marbles, event.offsetX, event.offsetY);
  if (found !== undefined) actions.select(found.event);
}

/** Runs for as long as the page is there. */
function start(): Subscription {
  const onError = (error: unknown): void => {
    root.textContent = `The page failed: ${failure(error)}`;
  };
  const running = merge(did$, answers$)
    .pipe(
      map((action) => {
        if (action.kind === 'news' && action.news.kind === 'event')
          clockOffset = Math.max(clockOffset, action.news.event.at - Date.now());
        return action;
      }),
      scan(reduce, initialState),
    )
    .subscribe({ next: (state) => state$.next(state), error: onError });
  running.add(
    state$
      .pipe(auditTime(50))
      .subscribe({ next: (state) => render(pageView(state, actions), root), error: onError }),
  );
  running.add(animationFrames().subscribe({ next: draw, error: onError }));
  document.addEventListener('keydown', onKey);
  document.addEventListener('click', onClick);
  return running;
}

start();
