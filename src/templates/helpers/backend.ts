import { digest } from '../../lib/digest.ts';
import type { Backend } from '../../protocol/plan.ts';
import { bareWord } from '../context/bare-word.ts';
import { sectionName } from '../context/section-name.ts';
import type { HelperScope, HelperTable } from '../helper-spec.ts';
import { capture, type BackendDraft } from '../run.ts';
import { directivesOf } from './block-text.ts';
import { isRecord } from '../../lib/is-record.ts';
import { within } from './effects.ts';
import { isGiven, keywordsOf, keywordWords, serverLine, serverOf } from './server-line.ts';

/** A backend and what it consists of, printed as a section and described in the plan by the same call. */
export const backendHelpers: HelperTable = {
  backend: {
    signature: '{{#backend name profile= mode= balance= hashType= guid=}}…{{/backend}}',
    summary:
      'A backend section. With a profile and servers alone it comes, changes and goes without a reload on HAProxy 3.4.',
    example:
      '{{#backend (concat w.metadata.namespace "_" w.metadata.name) balance="leastconn"}}{{server "s1" "10.0.0.1" 8080 weight=10}}{{/backend}}',
    output: 'block',
    args: [1, 1],
    hash: ['profile', 'mode', 'balance', 'hashType', 'guid'],
    call: ([name], scope) => {
      const draft: BackendDraft = {
        name: sectionName(name),
        servers: [],
        serverNames: new Set(),
        defaultServer: [],
      };
      const { run } = scope;
      const body = within('backend', scope, () => {
        run.backend = draft;
        try {
          return scope.options.fn?.(scope.context, { data: scope.options.data }) ?? '';
        } finally {
          run.backend = undefined;
        }
      });
      return capture(run, { kind: 'backend', backend: backendOf(draft, body, scope), place: scope.place() });
    },
  },
  server: {
    signature: 'server name address port weight= disabled= guid= check=true inter="2s" …',
    summary: 'A server of the backend. Every other keyword of HAProxy’s `server` line is a named argument.',
    example: '{{#backend w.metadata.name}}{{server "s1" "fd00::2" 8080 check=true inter="2s"}}{{/backend}}',
    output: 'text',
    args: [3, 3],
    hash: 'any',
    call: (args, scope) => {
      const draft = draftOf(scope);
      const server = serverOf(args, scope.options.hash, canGuid(scope));
      if (draft.serverNames.has(server.name))
        throw new RangeError(`backend ${draft.name} has a server ${server.name} already`);
      draft.serverNames.add(server.name);
      draft.servers.push(server);
      return '';
    },
  },
  defaultServer: {
    signature: 'defaultServer check=true inter="2s" …',
    summary: 'Settings of all servers of the backend.',
    example:
      '{{#backend w.metadata.name}}{{defaultServer check=true}}{{server "s1" "10.0.0.1" 8080}}{{/backend}}',
    output: 'text',
    args: [0, 0],
    hash: 'any',
    call: (_args, scope) => {
      draftOf(scope).defaultServer.push(...keywordsOf(scope.options.hash));
      return '';
    },
  },
};

function draftOf(scope: HelperScope): BackendDraft {
  if (scope.run.backend === undefined) throw new RangeError('this belongs into a backend block');
  return scope.run.backend;
}

/** HAProxy knows `guid` from 3.0 on; on older lines it is left out of text and plan. */
function canGuid(scope: HelperScope): boolean {
  const capabilities = scope.run.constants['capabilities'];
  return isRecord(capabilities) && capabilities['guid'] === true;
}

function backendOf(draft: BackendDraft, body: string, scope: HelperScope): Backend {
  const { profile, mode, balance, hashType, guid } = scope.options.hash;
  const own = directivesOf(body);
  const head = {
    name: draft.name,
    profile: isGiven(profile) ? sectionName(profile) : '',
    mode: modeOf(mode),
    ...(canGuid(scope) && isGiven(guid) ? { guid: sectionName(guid) } : {}),
    ...(isGiven(balance) ? { balance: words(balance) } : {}),
    ...(isGiven(hashType) ? { hashType: words(hashType) } : {}),
  };
  return {
    ...head,
    ...(own === '' && head.profile !== ''
      ? { shape: 'dynamic' as const }
      : { shape: 'structural' as const, shapeReason: structuralReason(own) }),
    // Copies without room to grow: backends are many.
    servers: draft.servers.slice(),
    defaultServer: draft.defaultServer,
    bodyDigest: own === '' ? emptyBody : digest(own),
    text: backendText(head, draft, own),
  };
}

const emptyBody = digest('');

function structuralReason(own: string): string {
  if (own === '') return 'it names no profile';
  return `it has a directive of its own: ${own.trimStart().split(/\s/, 1)[0] ?? ''}`;
}

function backendText(
  head: Pick<Backend, 'name' | 'profile' | 'mode' | 'guid' | 'balance' | 'hashType'>,
  draft: BackendDraft,
  own: string,
): string {
  let text = `\nbackend ${head.name}${head.profile === '' ? '' : ` from ${head.profile}`}\n    mode ${head.mode}\n`;
  if (head.balance !== undefined) text += `    balance ${head.balance}\n`;
  if (head.hashType !== undefined) text += `    hash-type ${head.hashType}\n`;
  if (head.guid !== undefined) text += `    guid ${head.guid}\n`;
  if (draft.defaultServer.length > 0)
    text += `    default-server ${draft.defaultServer.flatMap(keywordWords).join(' ')}\n`;
  text += own;
  for (const server of draft.servers) text += serverLine(server);
  return text;
}

function modeOf(mode: unknown): 'http' | 'tcp' {
  if (!isGiven(mode) || mode === 'http') return 'http';
  if (mode === 'tcp') return 'tcp';
  throw new RangeError('the mode of a backend is http or tcp');
}

/** `balance` and `hash-type` take several words: `hdr(x-user)`, `consistent sdbm`. */
function words(value: unknown): string {
  const text = String(value);
  if (/^[a-z0-9-]+(\([A-Za-z0-9_.,-]*\))?( [A-Za-z0-9_.-]+)*$/.test(text)) return text;
  return bareWord(text);
}
