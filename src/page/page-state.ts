import { type Lanes, noLanes, withEvent } from './lanes.ts';
import type { StreamNews, TapEvent } from './tap-event.ts';

export const views = ['streams', 'fleet', 'quarantine', 'explain'] as const;
export type View = (typeof views)[number];

/** What was asked of the controller about an object or a change, and what it answered. */
export interface Answer {
  readonly question: string;
  /** Undefined while it is not there. */
  readonly value?: unknown;
  readonly error?: string;
}

export interface PageState {
  readonly view: View;
  readonly taps: readonly string[];
  readonly hidden: ReadonlySet<string>;
  readonly lanes: Lanes;
  readonly isConnected: boolean;
  /** Values that this page was too slow for. */
  readonly dropped: number;
  /** When time stands still, milliseconds of the Unix clock; undefined: it goes on. */
  readonly pausedAt?: number | undefined;
  /** Milliseconds that the diagrams show. */
  readonly span: number;
  /** Only events that contain this text. */
  readonly filter: string;
  readonly selected?: TapEvent | undefined;
  /** Of the explain view. */
  readonly search: string;
  readonly objects: readonly string[];
  readonly explained?: Answer | undefined;
  /** Of a reload or change that was asked about. */
  readonly chain?: Answer | undefined;
}

export type Action =
  | { readonly kind: 'taps'; readonly taps: readonly string[] }
  | { readonly kind: 'news'; readonly news: StreamNews }
  | { readonly kind: 'view'; readonly view: View }
  | { readonly kind: 'toggle'; readonly tap: string }
  | { readonly kind: 'pause'; readonly at: number | undefined }
  | { readonly kind: 'span'; readonly span: number }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'select'; readonly event: TapEvent | undefined }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'objects'; readonly objects: readonly string[] }
  | { readonly kind: 'explained'; readonly answer: Answer }
  | { readonly kind: 'chain'; readonly answer: Answer | undefined };

/** Milliseconds: five seconds to an hour. */
export const spans = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000] as const;

export const initialState: PageState = {
  view: 'streams',
  taps: [],
  hidden: new Set(),
  lanes: noLanes,
  isConnected: false,
  dropped: 0,
  span: 60_000,
  filter: '',
  search: '',
  objects: [],
};

export function reduce(state: PageState, action: Action): PageState {
  switch (action.kind) {
    case 'taps':
      return { ...state, taps: action.taps };
    case 'news':
      return withNews(state, action.news);
    case 'view':
      return { ...state, view: action.view };
    case 'toggle': {
      const hidden = new Set(state.hidden);
      if (!hidden.delete(action.tap)) hidden.add(action.tap);
      return { ...state, hidden };
    }
    case 'pause':
      return { ...state, pausedAt: action.at };
    case 'span':
      return { ...state, span: action.span };
    case 'filter':
      return { ...state, filter: action.text };
    case 'select':
      return { ...state, selected: action.event, chain: undefined };
    case 'search':
      return { ...state, search: action.text };
    case 'objects':
      return { ...state, objects: action.objects };
    case 'explained':
      return { ...state, explained: action.answer };
    case 'chain':
      return { ...state, chain: action.answer };
  }
}

function withNews(state: PageState, news: StreamNews): PageState {
  switch (news.kind) {
    case 'event':
      return { ...state, lanes: withEvent(state.lanes, news.event) };
    case 'dropped':
      return { ...state, dropped: state.dropped + news.count };
    case 'connected':
      return { ...state, isConnected: true };
    case 'disconnected':
      return { ...state, isConnected: false };
  }
}
