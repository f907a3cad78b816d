import { expect, it } from 'vitest';
import { parseBackendSessions } from '../../../src/agent/runtime/parse-backend-sessions.ts';

it.each([
  ['# pxname,svname,qcur,qmax,scur,smax,\nb,BACKEND,1,2,3,4,\n\n', 3],
  ['# pxname,svname,scur,qcur,\nb,BACKEND,0,7,\n', 0],
  ['# pxname,svname,qcur,qmax,scur,smax,\n\n', undefined],
  ['# pxname,svname,qcur,\nb,BACKEND,1,\n', undefined],
  ['# pxname,svname,scur,\nb,FRONTEND,1,\n', undefined],
  ['# pxname,svname,scur,\nb,BACKEND,,\n', undefined],
  ['Unknown command.\n', undefined],
  ['', undefined],
])('what a backend has to do is read off its statistics: %j', (answer, sessions) => {
  expect(parseBackendSessions(answer)).toBe(sessions);
});
