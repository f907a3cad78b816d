import { Subject, type Observable } from 'rxjs';
import { createGraph } from '../collections/create-graph.ts';
import type { Graph, SourceCollection, SourceEdit } from '../collections/types.ts';
import type { Problem } from '../lib/problem.ts';
import type { HttpContent, HttpWant } from '../protocol/http-content.ts';
import type { HttpText } from './http-entry.ts';
import type { HttpPreview } from './http-trial.ts';

/** What may be asked, as `httpContent` of the configuration says. */
export interface HttpPolicy {
  readonly allowPrivateAddresses: boolean;
  readonly allowedHosts: readonly string[];
  /** Of a body. */
  readonly maxBytes: number;
  /** Of all texts together, those that are being tried included. */
  readonly maxTotalBytes: number;
  /** URLs at the same time. */
  readonly maxEntries: number;
}

/** What is needed of a configuration at work. */
export interface HttpWorld {
  /** The render of the moment under these edits of contents; undefined where something is not rendered yet. Asked between turns. */
  readonly preview: (edits: readonly SourceEdit[]) => Omit<HttpPreview, 'silent'> | undefined;
  /** Whether any item reads this key. */
  readonly isRead: (key: string) => boolean;
  /** Something has changed that no turn has taken in. */
  readonly isDirty: () => boolean;
}

/** What templates of one configuration read; see `HttpReads` of the renderer. */
export interface MemberReads {
  readonly contents: SourceCollection<HttpContent>;
  readonly want: (want: HttpWant, isWhatIf: boolean) => string;
  readonly absent: HttpContent;
  readonly told: (key: string, outcome: ReadOutcome) => void;
}

/** The HTTP content of one configuration. */
export interface HttpMember {
  readonly policy: HttpPolicy;
  /** Contents and their problems, for the graph of the configuration to stand on. */
  readonly graph: Graph;
  readonly reads: MemberReads;
  /** Contents have changed: there is something to render. Never errors, never completes. */
  readonly changed$: Observable<void>;
  /** Before the first turn. */
  readonly attach: (world: HttpWorld) => void;
  /** Of a configuration that is given up: nothing is fetched for it any more. */
  readonly leave: () => void;
}

/** How far a configuration is with the first content of its URLs; see `awaitContents`. */
export interface FirstContents {
  /** Its first render went out: later content is waited for by nobody. */
  readonly isOpen: () => boolean;
  /** All that its items read is there, or is known not to come, and no turn is due. */
  readonly isSettled: () => boolean;
  readonly changed$: Observable<unknown>;
  /** Emits when the time to wait is over, which begins with the first subscription; at once after that. */
  readonly deadline$: Observable<unknown>;
  /** What is not there yet is waited for no longer. */
  readonly giveUp: () => void;
  /** A turn begins, which may end anywhere before `rendered`. */
  readonly begun: () => void;
  /** A render was made. */
  readonly rendered: () => void;
  readonly open: () => void;
}

/** A member with what is kept about it. */
export interface BookedMember extends HttpMember {
  /** It sees what others have, and nothing is fetched for it: a configuration that is only asked about. */
  readonly isLooking: boolean;
  readonly changed$: Subject<void>;
  readonly problems: SourceCollection<Problem>;
  world: HttpWorld | undefined;
  isTurning: boolean;
  isOpen: boolean;
  isLate: boolean;
  /** Contents that its first render shows, though only the check of that render will say whether they are good. */
  readonly provisional: Map<string, HttpText>;
  /** What was told, by key. */
  readonly shown: Map<string, { readonly content: HttpContent; readonly problem: Problem | undefined }>;
  /** Keys that nothing read at the last sweep. */
  readonly unread: Set<string>;
  /** What became of items that read a key, the best of it; noted while a preview is made. */
  trial: Map<string, ReadOutcome> | undefined;
}

const better: readonly ReadOutcome[] = ['printed', 'pending', 'failed'];

/** What became of an item that had read a key; see `HttpReads` of the renderer. */
type ReadOutcome = 'printed' | 'failed' | 'pending';

/** A member that wants nothing yet. */
export function createMember(
  policy: HttpPolicy,
  isLooking: boolean,
  want: (member: BookedMember, wanted: HttpWant, isWhatIf: boolean) => string,
  leave: (member: BookedMember) => void,
): BookedMember {
  const graph = createGraph();
  const contents = graph.source<HttpContent>('http contents', { equal: sameContent });
  const problems = graph.source<Problem>('http problems');
  graph.mapEntries('http reports', problems, (problem, _key, reader) => {
    reader.report(problem);
    return undefined;
  });
  const member: BookedMember = {
    policy,
    isLooking,
    graph,
    problems,
    reads: {
      contents,
      want: (wanted, isWhatIf) => want(member, wanted, isWhatIf),
      absent: { kind: 'waiting' },
      told: (key, outcome) => {
        const { trial } = member;
        const former = trial?.get(key) ?? outcome;
        trial?.set(key, better.indexOf(former) < better.indexOf(outcome) ? former : outcome);
      },
    },
    changed$: new Subject(),
    attach: (world) => (member.world = world),
    leave: () => leave(member),
    world: undefined,
    isTurning: true,
    isOpen: false,
    isLate: false,
    provisional: new Map(),
    shown: new Map(),
    unread: new Set(),
    trial: undefined,
  };
  return member;
}

/** Texts are long: equal digests are equal texts. */
export function sameContent(a: HttpContent, b: HttpContent): boolean {
  if (a.kind === 'content') return b.kind === 'content' && a.digest === b.digest;
  if (a.kind === 'waiting') return b.kind === 'waiting';
  return b.kind === 'failed' && a.reason === b.reason && a.message === b.message;
}
