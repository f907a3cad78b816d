import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startHaproxy } from '../fixtures/haproxy-process.ts';

describeEachLine('a HAProxy for tests', (line) => {
  it('answers on both sockets, comes back after a kill, and leaves nothing behind', async () => {
    const haproxy = await startHaproxy(line);
    try {
      expect(await haproxy.cli('show version')).toContain(line.version);
      expect(await haproxy.reloads()).toBe(0);
      const before = await haproxy.workerPid();
      await haproxy.kill();
      await haproxy.start();
      expect(await haproxy.workerPid()).not.toBe(before);
    } finally {
      await haproxy.stop();
    }
    expect(existsSync(haproxy.baseDir)).toBe(false);
  });
});
