import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runProcess } from '../../../src/gate/run-process.ts';
import { eventually } from '../../fixtures/haproxy-process.ts';

const options = { cwd: '/', env: {}, maxOutputBytes: 1000 };
const node = (code: string, more = {}) => runProcess(process.execPath, ['-e', code], { ...options, ...more });

describe('runProcess', () => {
  it('gives the exit code and what was printed on both streams', async () => {
    const result = await lastValueFrom(
      node('console.log("out"); console.error("err"); process.exitCode = 3'),
    );
    expect(result).toMatchObject({ code: 3 });
    expect(result.output.split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(result.signal).toBeUndefined();
  });

  it('tells the signal that ended it', async () => {
    expect(
      await lastValueFrom(node('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)')),
    ).toEqual({
      signal: 'SIGTERM',
      output: '',
    });
  });

  it('lets the program give way to everything else', async () => {
    const code = 'setTimeout(() => console.log(os.getPriority() > 0), 200)';
    expect((await lastValueFrom(node(code))).output).toBe('true\n');
  });

  it.runIf(process.platform === 'linux')(
    'lets the program be the first to go when memory runs out',
    async () => {
      const code =
        'setTimeout(() => console.log(fs.readFileSync("/proc/self/oom_score_adj", "utf8").trim()), 200)';
      expect((await lastValueFrom(node(code))).output).toBe('1000\n');
    },
  );

  it('hands down nothing of the environment but what it is given', async () => {
    const result = await lastValueFrom(
      node('console.log(Object.keys(process.env).join())', { env: { ONE: '1' } }),
    );
    expect(result.output).toBe('ONE\n');
  });

  it('keeps the beginning of long output', async () => {
    const result = await lastValueFrom(
      node('process.stdout.write("x".repeat(100000))', { maxOutputBytes: 10 }),
    );
    expect(result.output).toBe('xxxxxxxxxx');
  });

  it('errors when the program is not there', async () => {
    await expect(lastValueFrom(runProcess('/nonexistent/haproxy', [], options))).rejects.toThrow('ENOENT');
  });

  it('kills the program when nobody waits for it any more', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'haptic-test-'));
    const file = path.join(dir, 'pid');
    const write = `fs.writeFileSync("${file}.new", String(process.pid)); fs.renameSync("${file}.new", "${file}")`;
    const sub = node(`${write}; setInterval(() => {}, 1000)`).subscribe();
    const pid = await eventually('the program runs', () => Number(readFileSync(file, 'utf8')));
    expect(isAlive(pid)).toBe(true);
    sub.unsubscribe();
    await eventually('the program ends', () => (isAlive(pid) ? undefined : true));
    rmSync(dir, { recursive: true });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
